// Takes the pictures of docs/images/console, of the fixture cluster.
import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { localBehavior } from "../test/fixtures/local.ts";
import { nowMs } from "../test/fixtures/objects.ts";
import { startServer } from "../test/fixtures/server.ts";
import { createWorld } from "../test/fixtures/world.ts";
import { launch } from "./chromium.ts";

const dist = new URL("../dist/", import.meta.url).pathname;
const folder = new URL("../../../docs/images/console/", import.meta.url).pathname;

const pages = {
  fleet: { search: "?", shown: "tr.row" },
  object: { search: "?view=object&ns=default&hpa=shop", shown: ".chart canvas" },
  trace: { search: "?view=trace&ns=default&hpa=shop", shown: ".trace .step" },
  "what-if": { search: "?view=what-if&ns=default&hpa=shop&v1=270", shown: ".side" },
  shadow: { search: "?view=shadow", shown: ".figures" },
  findings: { search: "?view=findings", shown: ".finding" },
} as const;

const server = await startServer(createWorld(206), dist);
server.behave(localBehavior);
const browser = await launch();
mkdirSync(folder, { recursive: true });
try {
  for (const [name, { search, shown }] of Object.entries(pages))
    for (const [width, height] of [
      [1440, 860],
      [390, 780],
    ] as const)
      for (const colorScheme of ["light", "dark"] as const) {
        const context = await browser.newContext({
          viewport: { width, height },
          colorScheme,
          reducedMotion: "reduce",
        });
        const page = await context.newPage();
        await page.clock.setFixedTime(new Date(nowMs + 4_000));
        await page.goto(`${server.origin}/console/${search}`);
        await page.locator(shown).first().waitFor();
        await page.locator(".connection.live").waitFor();
        const path = join(folder, `${name}-${width}-${colorScheme}.png`);
        await page.screenshot({ path });
        console.log(`${path.slice(folder.length)} ${Math.round(statSync(path).size / 1000)} kB`);
        await context.close();
      }
} finally {
  await browser.close();
  await server.close();
}
