// A real Chromium on the served site, which notes what leaves the origin and what the console reports.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type AxeModule from "axe-core";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, inject } from "vitest";

export interface Rig {
  readonly address: string;
  /** A page of a new context, which ends with the next one. */
  newPage(): Promise<Page>;
  /** What was requested of another origin, and errors of the console, since the last call. */
  complaints(): readonly string[];
}

/** One browser for the tests of a file; call it at the top of the file. */
export function useBrowser(): Rig {
  const address = inject("siteAddress");
  let browser: Browser | undefined;
  const complaints: string[] = [];
  beforeAll(async () => {
    const executablePath = process.env["CHROMIUM"];
    if (executablePath === undefined)
      throw new Error("npm run task -- docs-tests needs a Chromium: set CHROMIUM");
    browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  });
  afterAll(async () => {
    await browser?.close();
  });
  return {
    address,
    async newPage() {
      if (browser === undefined) throw new Error("the browser is not up");
      await Promise.all(browser.contexts().map((context) => context.close()));
      const context = await browser.newContext({ colorScheme: "light", reducedMotion: "reduce" });
      // The limit of the whole test is enough.
      context.setDefaultTimeout(0);
      const page = await context.newPage();
      page.on("request", (request) => {
        if (!request.url().startsWith(address)) complaints.push(`request of ${request.url()}`);
      });
      page.on("pageerror", (error) => complaints.push(`${page.url()}: ${error}`));
      page.on("console", (message) => {
        if (message.type() === "error") complaints.push(`${page.url()}: ${message.text()}`);
      });
      return page;
    },
    complaints: () => complaints.splice(0),
  };
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface AxeWindow {
  readonly axe: typeof AxeModule;
}

/** What axe finds, as lines: WCAG 2.2 AA and its best practices, or certain rules only. */
export async function violationsOf(page: Page, rules?: readonly string[]): Promise<readonly string[]> {
  await page.evaluate(axe);
  return page.evaluate(async (only) => {
    const { axe } = globalThis as unknown as AxeWindow;
    const { violations } = await axe.run(document, { runOnly: [...only] });
    return violations.flatMap(({ id, help, nodes }) =>
      nodes.map(
        ({ target, failureSummary = "" }) => `${id}: ${help} at ${target.join(" ")}: ${failureSummary}`,
      ),
    );
  }, rules ?? ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]);
}
