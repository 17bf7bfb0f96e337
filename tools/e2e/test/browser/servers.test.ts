// Every page of the console in the distribution's Chromium, on the two servers that users have, with the decisions of a
// real autoscaler.
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type Servers, startServers } from "./cluster.ts";

let servers: Servers;
let browser: Browser;

beforeAll(async () => {
  const executablePath = process.env["CHROMIUM"];
  if (executablePath === undefined)
    throw new Error("npm run task -- console-tests needs a Chromium: set CHROMIUM");
  servers = await startServers();
  browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
});

afterAll(async () => {
  await browser?.close();
  await servers?.stop();
});

/** What a page did. */
interface Watched {
  readonly requests: { readonly method: string; readonly url: string }[];
  readonly problems: string[];
}

let watched: Watched;
let page: Page;

/** A page on one of the servers, behind its door. */
async function enter(address: string, { theme }: { readonly theme: "light" | "dark" }): Promise<void> {
  // The autoscaler made its certificate itself.
  const context = await browser.newContext({ ignoreHTTPSErrors: true, colorScheme: theme });
  context.setDefaultTimeout(0);
  page = await context.newPage();
  watched = { requests: [], problems: [] };
  page.on("request", (request) => {
    watched.requests.push({ method: request.method(), url: request.url() });
  });
  page.on("pageerror", (error) => watched.problems.push(String(error)));
  page.on("console", (message) => {
    // Chromium reports every response that failed.
    const isNetwork = message.text().startsWith("Failed to load resource");
    if (message.type() === "error" && !isNetwork) watched.problems.push(message.text());
  });
  await page.addInitScript({
    content: `globalThis.violations = [];
      document.addEventListener("securitypolicyviolation", (event) =>
        violations.push(event.violatedDirective + " " + event.blockedURI));`,
  });
  const response = await page.goto(address);
  const { "content-security-policy": policy = "" } = response?.headers() ?? {};
  expect(policy).toContain("default-src 'none'; script-src 'self';");
  expect(policy).toContain("connect-src 'self'");
  expect(policy).toContain("require-trusted-types-for 'script'");
  expect(policy).not.toContain("unsafe");
}

async function shown(selector: string, text: string | RegExp): Promise<void> {
  await page.locator(selector).filter({ hasText: text }).first().waitFor();
}

async function follow(name: string | RegExp): Promise<void> {
  await page.getByRole("link", { name }).first().click();
}

/** Through all pages by their links, as a reader goes: a reload would forget the token. */
async function walk(): Promise<void> {
  const rows = page.locator("table.fleet tbody tr.row");
  await shown("table.fleet tbody tr.row", /worker.*max/s);
  const links = await rows.locator("th a").all();
  const titles = await Promise.all(links.map((link) => link.getAttribute("title")));
  expect(new Set(titles)).toEqual(
    new Set([
      "default/api",
      "default/router",
      "default/shop",
      "default/worker",
      "pay/billing",
      "web/checkout",
    ]),
  );
  const worker = rows.filter({ hasText: "worker" });
  expect(await worker.locator(".c-now, .c-want").allInnerTexts()).toEqual(["10", "14"]);

  await follow("worker");
  await shown("main", "Staying at 10 replicas: metrics call for 14, but maxReplicas is 10");
  await page.locator(".chart canvas").nth(1).waitFor();
  await follow("Trace");
  await shown(".trace .step", "queue_depth: 14 = ⌈400 ÷ 30⌉");
  await shown(".trace .step", "capped by maxReplicas");

  await page.goBack();
  await follow("What if");
  await shown(".side", "proposed 14, stays 10");
  const before = watched.requests.length;
  // The policy for scaling up lets one more through soon after the first nine.
  await page.getByLabel("max", { exact: true }).fill("11");
  await shown(".side.changed", "10 → 11");
  // The page decides itself: of the cluster it reads nothing for it but the stream, which goes on.
  const read = watched.requests.slice(before).filter(({ url }) => url.includes("/apis/"));
  expect(read.filter(({ url }) => !url.includes("/stream"))).toEqual([]);

  await follow("Fleet");
  await follow("checkout");
  await shown("h1 .object-name", "checkout");
  // Which minute it is decides which.
  await shown("dl.facts", /even-minutes|limits 1 to 10; no schedule active/);

  await follow("Shadow");
  await shown("main table tbody tr", /pay\/billing.*\d %.*agrees/s);
  await follow("Findings");
  await shown(".counts .total", /autoscalers?, \d+ rules?/);
}

afterEach(async () => {
  await page?.context().close();
});

/** Nothing from elsewhere, nothing written, nothing against the policy, nothing kept. */
async function expectClean(origin: string): Promise<void> {
  expect(watched.problems).toEqual([]);
  expect(await page.evaluate<readonly string[]>("violations")).toEqual([]);
  expect(watched.requests.length).toBeGreaterThan(10);
  expect(watched.requests.filter(({ url }) => !url.startsWith(`${origin}/`))).toEqual([]);
  expect(watched.requests.filter(({ method }) => method !== "GET")).toEqual([]);
  const stored = await page.evaluate<string>("JSON.stringify([{ ...localStorage }, { ...sessionStorage }])");
  expect(stored).not.toMatch(/worker|checkout|billing/);
}

describe("plimsoll console", () => {
  test("every page has the decisions of the autoscaler, and longer histories come from Prometheus", async () => {
    const { origin } = new URL(servers.printed());
    await enter(servers.printed(), { theme: "light" });
    await walk();
    await shown(".counts .total", "6 autoscalers, 58 rules");
    await shown(".finding", /PodDisruptionBudget.*PL-036.*pay\/billing/s);
    await follow("Fleet");
    await follow("worker");
    const history = page.waitForResponse((response) => response.url().includes("/apis/console/v1/history/"));
    await page.getByRole("button", { name: "1h", exact: true }).click();
    const response = await history;
    expect(response.status()).toBe(200);
    expect(await response.text()).toContain("queue_depth");
    await page.locator(".chart canvas").first().waitFor();
    await expectClean(origin);
    // The code of the address is nowhere any more.
    expect(page.url()).not.toContain("code=");
    expect(await page.evaluate<string>("document.cookie")).toBe("");
  });

  test("an address is good for one browser", async () => {
    const address = servers.printed();
    await enter(address, { theme: "light" });
    await shown("table.fleet tbody tr.row", "worker");
    await page.context().close();
    await enter(address, { theme: "dark" });
    await shown("main", /open.* again|address/i);
    expect(await page.locator("table.fleet tbody tr.row").count()).toBe(0);
  });
});

describe("/console/ of the autoscaler", () => {
  test("every page has its decisions once a token was pasted, and no history of Prometheus is offered", async () => {
    const { origin } = new URL(servers.served);
    await enter(servers.served, { theme: "dark" });
    await page.getByLabel("Token of a user or service account").fill(servers.token);
    await page.getByRole("button", { name: "Sign in" }).click();
    await walk();
    await follow("Fleet");
    await follow("worker");
    await shown(".chart-bar", /\d+ decisions kept/);
    for (const name of ["1h", "6h", "24h", "7d"])
      expect(await page.getByRole("button", { name, exact: true }).count()).toBe(0);
    expect(watched.requests.filter(({ url }) => url.includes("/history/"))).toEqual([]);
    await expectClean(origin);
    expect(await page.context().cookies()).toEqual([]);
    const content = await page.content();
    expect(content).not.toContain(servers.token);
  });

  test("a token that the cluster does not know opens nothing", async () => {
    await enter(servers.served, { theme: "light" });
    await page.getByLabel("Token of a user or service account").fill("none.of.ours");
    await page.getByRole("button", { name: "Sign in" }).click();
    await shown(".sign-in .error-message", "the token is invalid");
    expect(await page.locator("table.fleet tbody tr.row").count()).toBe(0);
  });
});
