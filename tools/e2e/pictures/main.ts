// npm run task -- pictures: takes the pictures of docs/images from the console of a running demo. Each is on a page.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Child, startChild, until } from "@plimsoll/testbed";
import { type BrowserContext, type CDPSession, chromium, type Page } from "playwright-core";

const root = new URL("../../../", import.meta.url).pathname;
const folder = join(root, "docs", "images");

/** Text stays sharp, and a page takes less than 60 kB. */
const quality = 72;

const heights = { 1440: 860, 390: 780 } as const;

type Theme = "light" | "dark";

interface Shot {
  readonly name: string;
  readonly as: readonly (readonly [width: keyof typeof heights, theme: Theme])[];
  /** The query of the page's address. */
  readonly search: string;
  /** The page is drawn once this is there. */
  readonly shown: string;
}

/** While the load rises. */
const whileItRises: readonly Shot[] = [
  { name: "fleet", as: [[1440, "light"]], search: "?sort=held", shown: "tr.row >> nth=5" },
  { name: "trace", as: [[1440, "light"]], search: "?view=trace&ns=default&hpa=api", shown: ".trace .step" },
];

/** Once it has fallen: the charts have all of it, and one queue is longer than the most replicas can work off. */
const atRest: readonly Shot[] = [
  {
    name: "object",
    as: [
      [1440, "light"],
      [390, "dark"],
    ],
    search: "?view=object&ns=default&hpa=router",
    shown: "section[aria-labelledby=findings-title] :is(.muted, .findings)",
  },
  {
    name: "what-if",
    as: [[1440, "dark"]],
    search: "?view=what-if&ns=default&hpa=worker&max=14",
    shown: ".side.changed",
  },
  { name: "findings", as: [[1440, "light"]], search: "?view=findings", shown: ".finding" },
];

const chromiumPath = process.env["CHROMIUM"];
if (chromiumPath === undefined) throw new Error("a Chromium is needed: set CHROMIUM");
const demo = await startDemo();
const browser = await chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox"] });
try {
  const context = await browser.newContext({ reducedMotion: "reduce" });
  const page = await enter(context, addressOf(demo));
  const session = await context.newCDPSession(page);
  await printed(demo, /^Playing the load/);
  // One is moving, whichever.
  await page
    .locator(".c-want")
    .filter({ hasText: /^[4-9]$/ })
    .first()
    .waitFor({ timeout: 60_000 });
  for (const shot of whileItRises) await takeAll(page, session, shot);
  await printed(demo, /^Everything stays up/);
  await page.goto(addressIn(page, "?"));
  await page.locator("tr.row", { hasText: "worker" }).filter({ hasText: "max" }).waitFor({ timeout: 60_000 });
  for (const shot of atRest) await takeAll(page, session, shot);
} finally {
  await browser.close();
  await demo.stop();
}

function startDemo(): Promise<Child> {
  return startChild({
    name: "demo",
    command: process.execPath,
    args: [join(root, "tools/demo/src/main.ts"), "--keep"],
    ready: (line) => line.includes("#code="),
  });
}

function addressOf({ lines }: Child): string {
  return /http:\S+#code=\S+/.exec(lines.join("\n"))?.[0] ?? "";
}

/** Resolves when the demo has printed such a line. */
async function printed({ lines, exited }: Child, pattern: RegExp): Promise<void> {
  const ended = exited.then((code) => Promise.reject(new Error(`the demo ended with ${code}`)));
  const seen = until(
    `a line of the demo like ${pattern}`,
    () => lines.some((line) => pattern.test(line)) || undefined,
    {
      timeoutMs: 300_000,
    },
  );
  await Promise.race([seen, ended]);
}

async function enter(context: BrowserContext, address: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(address);
  await page.locator("h1, .counts").first().waitFor();
  return page;
}

function addressIn(page: Page, search: string): string {
  return new URL(search, new URL("/console/", page.url())).href;
}

async function takeAll(page: Page, session: CDPSession, { name, as, search, shown }: Shot): Promise<void> {
  for (const [width, colorScheme] of as) {
    await page.setViewportSize({ width, height: heights[width] });
    await page.emulateMedia({ colorScheme });
    await page.goto(addressIn(page, search));
    await page.locator(shown).first().waitFor();
    await page.locator(".connection.live").waitFor();
    const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality });
    write(`console/${name}-${width}-${colorScheme}.webp`, Buffer.from(data, "base64"));
  }
}

function write(file: string, image: Buffer): void {
  const path = join(folder, file);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, image);
  process.stdout.write(`docs/images/${file} ${Math.round(image.length / 1000)} kB\n`);
}
