// Sizes of the page, and what 10,000 objects cost in a Chromium whose processor is slowed down.

import {
  buildPage,
  createWorld,
  cssBudget,
  dist,
  type FixtureServer,
  fixtureObjects,
  pageSizes,
  pages,
  type SummaryRow,
  startServer,
} from "@plimsoll/console/testing";
import { type Browser, type CDPSession, chromium, type Page } from "playwright-core";
import { changesMs, wideObject } from "./what-if.ts";

const objects = 10_000;
const slowedBy = 4;
const rounds = 5;
const changedRows = 500;
const busySeconds = 10;
buildPage();

interface Line {
  readonly what: string;
  readonly values: readonly number[];
  readonly unit: string;
  readonly budget: number;
}

for (const { page, js, css } of pageSizes(dist)) {
  const budget = pages.find((one) => one.page === page)?.jsBudget ?? 0;
  print({ what: `${page}: JS`, values: [js / 1000], unit: "kB", budget: budget / 1000 });
  if (page === pages[0]?.page)
    print({ what: "CSS", values: [css / 1000], unit: "kB", budget: cssBudget / 1000 });
}
/** Pods of an object, and how long a change of what-if may take: one frame for the smaller one. */
const wide = [
  { pods: 100, budget: 17 },
  { pods: 1_000, budget: 100 },
] as const;
const world = createWorld(objects, [...fixtureObjects, ...wide.map(({ pods }) => wideObject(pods))]);
const server = await startServer(world, dist);
const executablePath = process.env["CHROMIUM"];
if (executablePath === undefined) throw new Error("a Chromium is needed: set CHROMIUM");
const args = ["--no-sandbox", "--enable-precise-memory-info", "--js-flags=--expose-gc"];
const browser = await chromium.launch({ executablePath, args });
try {
  await measure(browser, server, world.rows);
} finally {
  await browser.close();
  await server.close();
}

async function measure(browser: Browser, server: FixtureServer, rows: readonly SummaryRow[]): Promise<void> {
  console.log(
    `\n${objects} objects, CPU slowed ${slowedBy} times, ${rounds} rounds: lowest, middle, highest`,
  );
  console.log("work: of the main thread, whatever else the machine does");
  const firstRows: number[] = [];
  const firstWork: number[] = [];
  const filterWork: number[] = [];
  const decisionWork: number[] = [];
  const firstDecision: number[] = [];
  const filter: number[] = [];
  const heap: number[] = [];
  const nodes: number[] = [];
  for (let round = 0; round < rounds; round++) {
    server.behave({ stream: () => [] });
    const page = await slowPage(browser);
    const work = () => workMs(page.session);
    const beforeMs = await work();
    await page.page.goto(`${server.origin}/console/`, { waitUntil: "commit" });
    firstRows.push(await shownAt(page.page, "tr.row"));
    firstWork.push((await work()) - beforeMs);
    await page.page.waitForFunction(
      (text) => document.querySelector(".counts .total")?.textContent === text,
      `${world.rows.length.toLocaleString("en-US")} autoscalers`,
    );
    await page.page.locator("input[type=search]").focus();
    const idleMs = await work();
    filter.push(await filterMs(page.page));
    filterWork.push((await work()) - idleMs);
    await page.page.evaluate(() => (globalThis as unknown as { gc?: () => void }).gc?.());
    const { JSHeapUsedSize = 0 } = await metricsOf(page.session);
    heap.push(JSHeapUsedSize / 1e6);
    nodes.push(await page.page.evaluate(() => document.querySelectorAll("*").length));
    const openMs = await work();
    firstDecision.push(await decisionMs(page.page));
    decisionWork.push((await work()) - openMs);
    await page.page.context().close();
  }
  print({ what: "first rows", values: firstRows, unit: "ms", budget: 1_000 });
  print({ what: "first rows, work", values: firstWork, unit: "ms", budget: 1_000 });
  print({ what: "first decision open", values: firstDecision, unit: "ms", budget: 1_500 });
  print({ what: "first decision open, work", values: decisionWork, unit: "ms", budget: 1_500 });
  print({ what: "a letter of the filter", values: filter, unit: "ms", budget: 100 });
  print({ what: "a letter of the filter, work", values: filterWork, unit: "ms", budget: 100 });
  print({ what: "heap", values: heap, unit: "MB", budget: 80 });
  print({ what: "nodes in the document", values: nodes, unit: "", budget: 3_000 });
  print({
    what: `${changedRows} changed rows/s, main thread`,
    values: await busyPercent(browser, server, rows),
    unit: "%",
    budget: 20,
  });
  await measureWhatIf(browser, server);
}

async function measureWhatIf(browser: Browser, server: FixtureServer): Promise<void> {
  console.log("\nwhat-if, from a slider to the frame that shows it, CPU not slowed");
  for (const { pods, budget } of wide) {
    server.behave({ stream: () => [] });
    const { page } = await slowPage(browser, 1);
    const values = await changesMs(page, server.origin, pods);
    await page.context().close();
    print({ what: `a change with ${pods} pods`, values, unit: "ms", budget });
  }
}

interface SlowPage {
  readonly page: Page;
  readonly session: CDPSession;
}

async function slowPage(browser: Browser, rate = slowedBy): Promise<SlowPage> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  await session.send("Emulation.setCPUThrottlingRate", { rate });
  return { page, session };
}

/** Since the navigation began, by the clock of the page. */
function shownAt(page: Page, selector: string): Promise<number> {
  return page.evaluate(
    (wanted) =>
      new Promise<number>((resolve) => {
        const look = () => {
          if (document.querySelector(wanted) === null) requestAnimationFrame(look);
          else resolve(performance.now());
        };
        look();
      }),
    selector,
  );
}

/** From an input event to the frame after the rows were drawn. */
function filterMs(page: Page): Promise<number> {
  return page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const input = document.querySelector<HTMLInputElement>("input[type=search]");
        if (input === null) return;
        const beganAt = performance.now();
        input.value = "cache-4";
        input.dispatchEvent(new InputEvent("input", { bubbles: true }));
        const look = () => {
          const first = document.querySelector("tr.row .c-name")?.textContent ?? "";
          if (first.includes("cache-4")) resolve(performance.now() - beganAt);
          else requestAnimationFrame(look);
        };
        look();
      }),
  );
}

/** From the click on a row to the drawn chart, code included. */
function decisionMs(page: Page): Promise<number> {
  return page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const beganAt = performance.now();
        history.pushState(null, "", "?view=object&ns=default&hpa=shop");
        dispatchEvent(new PopStateEvent("popstate"));
        const look = () => {
          if (document.querySelector(".chart canvas") === null) requestAnimationFrame(look);
          else resolve(performance.now() - beganAt);
        };
        look();
      }),
  );
}

/** Milliseconds that the main thread has worked so far. */
async function workMs(session: CDPSession): Promise<number> {
  return ((await metricsOf(session))["TaskDuration"] ?? 0) * 1_000;
}

async function metricsOf(session: CDPSession): Promise<Readonly<Record<string, number>>> {
  const { metrics } = await session.send("Performance.getMetrics");
  return Object.fromEntries(metrics.map(({ name, value }) => [name, value]));
}

/** Of the time of the main thread, at the processor's own speed. */
async function busyPercent(
  browser: Browser,
  server: FixtureServer,
  rows: readonly SummaryRow[],
): Promise<readonly number[]> {
  let turn = 0;
  server.behave({
    stream: () => {
      turn++;
      return Array.from({ length: changedRows }, (_, index) => {
        const row = rows[(turn * changedRows + index) % rows.length];
        if (row === undefined) throw new Error("no rows");
        return { ...row, current: row.current + (turn % 3) };
      });
    },
  });
  const { page, session } = await slowPage(browser, 1);
  await page.goto(`${server.origin}/console/`);
  await page.locator(".connection.live").waitFor();
  // What the first read left to do is over then.
  await page.waitForTimeout(2_000);
  const before = await metricsOf(session);
  // A share of time has to be measured over some.
  await page.waitForTimeout(busySeconds * 1_000);
  const after = await metricsOf(session);
  const spent =
    ((after["TaskDuration"] ?? 0) - (before["TaskDuration"] ?? 0)) /
    ((after["Timestamp"] ?? 0) - (before["Timestamp"] ?? 0));
  await page.context().close();
  return [100 * spent];
}

function print({ what, values, unit, budget }: Line): void {
  const sorted = values.toSorted((a, b) => a - b);
  const shown = [sorted[0], sorted[Math.floor(sorted.length / 2)], sorted.at(-1)];
  const texts = (values.length === 1 ? shown.slice(0, 1) : shown).map((value) => (value ?? 0).toFixed(1));
  const middle = shown[1] ?? 0;
  const mark = middle <= budget ? "ok  " : "OVER";
  console.log(`${mark} ${what.padEnd(34)} ${texts.join("  ")} ${unit}  (budget ${budget})`);
  if (middle > budget) process.exitCode = 1;
}
