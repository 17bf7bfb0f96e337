import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { pages } from "../../src/navigation.ts";
import { useBrowser, violationsOf } from "./browser.ts";

const rig = useBrowser();

const addresses = pages.map(({ path }) => path.replace(/README\.md$/, "index.md").replace(/\.md$/, ".html"));

/** Opens it, until the page's own program runs: Vue has a tree in the element that the server filled. */
async function show(page: Page, path: string): Promise<Page> {
  await page.goto(new URL(path, rig.address).href);
  await page.locator(".VPDoc h1").waitFor();
  await page.waitForFunction(() => "_vnode" in (document.querySelector("#app") ?? {}));
  return page;
}

const isDark = (): boolean => document.documentElement.classList.contains("dark");

interface Visit {
  readonly violations: readonly string[];
  readonly ids: readonly string[];
  readonly targets: readonly URL[];
}

async function visit(page: Page, path: string): Promise<Visit> {
  const violations: string[] = [];
  await show(page, path);
  for (const theme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme: theme });
    await page.waitForFunction(
      (dark) => document.documentElement.classList.contains("dark") === dark,
      theme === "dark",
    );
    // Of what axe checks, only contrast depends on the theme.
    const found = await violationsOf(page, theme === "dark" ? ["color-contrast"] : undefined);
    violations.push(...found.map((line) => `${theme}: ${line}`));
  }
  const { ids, hrefs } = await page.evaluate(() => ({
    ids: [...document.querySelectorAll("[id]")].map(({ id }) => id),
    hrefs: [...document.querySelectorAll("a[href]")].map((link) => (link as HTMLAnchorElement).href),
  }));
  await page.emulateMedia({ colorScheme: "light" });
  return { violations, ids, targets: hrefs.map((href) => new URL(href)) };
}

const visits = new Map<string, Visit>();
let shared: Promise<Page> | undefined;

test.each(addresses)("%s is accessible in both themes, and loads nothing from elsewhere", async (address) => {
  shared ??= rig.newPage();
  const seen = await visit(await shared, address);
  visits.set(new URL(address, rig.address).pathname, seen);
  expect(seen.violations).toEqual([]);
  expect(rig.complaints()).toEqual([]);
});

test("the links of all these pages lead to pages of the site, and to headings that are there", () => {
  expect(visits.size).toBe(addresses.length);
  const inside = [...visits].flatMap(([path, { targets }]) =>
    targets.filter(({ href }) => href.startsWith(rig.address)).map((target) => ({ path, target })),
  );
  expect(inside.length).toBeGreaterThan(500);
  const broken = inside.filter(({ target: { pathname, hash } }) => {
    const found = visits.get(pathname.replace(/\/$/, "/index.html"));
    return found === undefined || (hash !== "" && !found.ids.includes(decodeURIComponent(hash.slice(1))));
  });
  expect(broken.map(({ path, target }) => `${path}: ${target.pathname}${target.hash}`)).toEqual([]);
});

describe("a reader", () => {
  test("finds a page by a word of it, and opens it by the keyboard", async () => {
    const page = await show(await rig.newPage(), "index.html");
    await page.keyboard.press("Control+k");
    await page.locator(".VPLocalSearchBox input").fill("stabilizationWindowSeconds");
    await page.locator(".VPLocalSearchBox .result").first().waitFor();
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => !location.pathname.endsWith("/index.html"));
    await page.locator(".VPDoc h1").waitFor();
    expect(await page.locator("main").innerText()).toContain("stabilizationWindowSeconds");
    expect(rig.complaints()).toEqual([]);
  });

  test("chooses the dark theme, which stays", async () => {
    const page = await show(await rig.newPage(), "install.html");
    const color = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const before = await color();
    await page.locator(".VPSwitchAppearance:visible").first().click();
    await page.waitForFunction(isDark);
    await page.reload();
    await page.locator(".VPDoc h1").waitFor();
    expect(await page.evaluate(isDark)).toBe(true);
    expect(await color()).not.toBe(before);
    expect(rig.complaints()).toEqual([]);
  });

  test("goes to the next page, and gets a page for what does not exist", async () => {
    const page = await show(await rig.newPage(), "index.html");
    await page.locator(".pager-link.next").click();
    await page.waitForFunction(() => location.pathname.endsWith("/install.html"));
    expect(await page.locator(".VPDoc h1").innerText()).toContain("Install");
    expect(rig.complaints()).toEqual([]);
    const response = await page.goto(new URL("nothing.html", rig.address).href);
    expect(response?.status()).toBe(404);
    expect(await page.locator(".NotFound a").getAttribute("href")).not.toBeNull();
    // Chromium reports the response itself, and nothing else is wrong.
    expect(rig.complaints()).toEqual([expect.stringContaining("status of 404")]);
  });
});
