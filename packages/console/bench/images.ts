// Takes the pictures of docs/images/console, of the fixture cluster.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { localBehavior } from "../test/fixtures/local.ts";
import { nowMs } from "../test/fixtures/objects.ts";
import { startServer } from "../test/fixtures/server.ts";
import { createWorld } from "../test/fixtures/world.ts";
import { launch } from "./chromium.ts";

const dist = new URL("../dist/", import.meta.url).pathname;
const folder = new URL("../../../docs/images/console/", import.meta.url).pathname;

/** Text stays sharp, and a page takes less than 60 kB. */
const quality = 72;

const pages = {
  fleet: { search: "?sort=held", shown: "tr.row" },
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
        const session = await context.newCDPSession(page);
        const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality });
        const image = Buffer.from(data, "base64");
        const file = `${name}-${width}-${colorScheme}.webp`;
        writeFileSync(join(folder, file), image);
        console.log(`${file} ${Math.round(image.length / 1000)} kB`);
        await context.close();
      }
} finally {
  await browser.close();
  await server.close();
}
