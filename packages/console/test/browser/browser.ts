// A real Chromium with the built page, on a server of fixtures.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type AxeModule from "axe-core";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll } from "vitest";
import { nowMs } from "../fixtures/objects.ts";
import { type Behavior, type FixtureServer, startServer } from "../fixtures/server.ts";
import { createWorld, type World } from "../fixtures/world.ts";
import { dist } from "./build.ts";

export interface Rig {
  readonly server: () => FixtureServer;
  /** A new page at an address, with the clock shortly after the newest decision. */
  open(search: string, options?: OpenOptions): Promise<Page>;
}

export interface OpenOptions {
  readonly behavior?: Behavior;
  readonly theme?: "light" | "dark";
  readonly width?: number;
  readonly height?: number;
  readonly hash?: string;
  /** The clock of the page and its timers move by `page.clock` only. */
  readonly isTimeManual?: boolean;
}

/** Requests that did not go to the server of the page, and what its console says of errors. */
export interface Watched {
  readonly foreign: string[];
  readonly errors: string[];
}

const watched = new WeakMap<Page, Watched>();

export function watchedOf(page: Page): Watched {
  return watched.get(page) ?? { foreign: [], errors: [] };
}

/** One browser for the tests of a file; each page has a context of its own, which ends with the test. */
export function useBrowser(makeWorld: () => World = () => createWorld(206)): Rig {
  let browser: Browser | undefined;
  let server: FixtureServer | undefined;
  const contexts: BrowserContext[] = [];
  beforeAll(async () => {
    const executablePath = process.env["CHROMIUM"];
    if (executablePath === undefined)
      throw new Error("npm run task -- console-tests needs a Chromium: set CHROMIUM");
    server = await startServer(makeWorld(), dist);
    browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  });
  afterEach(() => {
    const { reports = [] } = server ?? {};
    // Not one line of the page may be against its policy, in no state.
    if (reports.length > 0) throw new Error(`violations of the policy: ${reports.join("\n")}`);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });
  return {
    server: () => {
      if (server === undefined) throw new Error("the server is not up");
      return server;
    },
    async open(search, options = {}) {
      if (browser === undefined || server === undefined) throw new Error("the browser is not up");
      const {
        behavior = { stream: () => [] },
        theme = "light",
        width = 1280,
        height = 900,
        hash = "",
        isTimeManual = false,
      } = options;
      await Promise.all(contexts.splice(0).map((context) => context.close()));
      server.behave(behavior);
      const context = await browser.newContext({
        viewport: { width, height },
        colorScheme: theme,
        reducedMotion: "reduce",
        permissions: ["clipboard-read", "clipboard-write"],
      });
      contexts.push(context);
      // The limit of the whole test is enough.
      context.setDefaultTimeout(0);
      const page = await context.newPage();
      watch(page, server.origin);
      const time = new Date(nowMs + 4_000);
      await (isTimeManual ? page.clock.install({ time }) : page.clock.setFixedTime(time));
      await page.goto(`${server.origin}/console/${search}${hash}`);
      return page;
    },
  };
}

function watch(page: Page, origin: string): void {
  const seen: Watched = { foreign: [], errors: [] };
  watched.set(page, seen);
  page.on("request", (request) => {
    if (!request.url().startsWith(`${origin}/`)) seen.foreign.push(request.url());
  });
  page.on("pageerror", (error) => seen.errors.push(String(error)));
  page.on("console", (message) => {
    // Chromium reports every response that failed.
    const isNetwork = message.text().startsWith("Failed to load resource");
    if (message.type() === "error" && !isNetwork) seen.errors.push(message.text());
  });
}

const axePath = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

interface AxeWindow {
  readonly axe: typeof AxeModule;
}

/** What axe finds, as lines; WCAG 2.2 AA and its best practices. */
export async function violationsOf(page: Page): Promise<readonly string[]> {
  // Through the debugger: the policy of the page lets no script in.
  await page.evaluate(readFileSync(axePath, "utf8"));
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as AxeWindow;
    const { violations } = await axe.run(document, {
      runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    });
    return violations.flatMap(({ id, help, nodes }) =>
      nodes.map(
        ({ target, failureSummary = "" }) => `${id}: ${help} at ${target.join(" ")}: ${failureSummary}`,
      ),
    );
  });
}

/** The text of all that a selector finds. */
export function texts(page: Page, selector: string): Promise<string[]> {
  return page.locator(selector).allInnerTexts();
}
