import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { pages } from "../../src/navigation.ts";
import { type Theme, useBrowser, violationsOf } from "./browser.ts";

const rig = useBrowser();

const addresses = pages.map(({ path }) => path.replace(/README\.md$/, "index.md").replace(/\.md$/, ".html"));

/** With the page's own program running: Vue has a tree in the element that the server filled. */
async function shown(path: string, theme: Theme): Promise<Page> {
  const page = await rig.open(path, theme);
  await page.locator(".VPDoc h1").waitFor();
  await page.waitForFunction(() => "_vnode" in (document.querySelector("#app") ?? {}));
  return page;
}

interface Links {
  readonly ids: readonly string[];
  readonly targets: readonly string[];
}

test.each(["light", "dark"] as const)("in the %s theme, axe finds nothing on any page", async (theme) => {
  const found: string[] = [];
  for (const address of addresses) {
    const page = await shown(address, theme);
    const dark = await page.evaluate(() => document.documentElement.classList.contains("dark"));
    expect(dark).toBe(theme === "dark");
    found.push(...(await violationsOf(page)).map((line) => `${address}: ${line}`));
  }
  expect(found).toEqual([]);
  expect(rig.complaints()).toEqual([]);
});

test("every link of every page to the site leads to a page and to a heading of it", async () => {
  const seen = new Map<string, Links>();
  for (const address of addresses) {
    const page = await shown(address, "light");
    const links = await page.evaluate(() => ({
      ids: [...document.querySelectorAll("[id]")].map(({ id }) => id),
      targets: [...document.querySelectorAll("a[href]")].map((link) => (link as HTMLAnchorElement).href),
    }));
    seen.set(new URL(address, rig.address).pathname, links);
  }
  const broken = [...seen].flatMap(([from, { targets }]) =>
    targets
      .map((target) => new URL(target))
      .filter(({ href }) => href.startsWith(rig.address))
      .filter(({ pathname, hash }) => {
        const page = seen.get(pathname.replace(/\/$/, "/index.html"));
        return page === undefined || (hash !== "" && !page.ids.includes(decodeURIComponent(hash.slice(1))));
      })
      .map(({ pathname, hash }) => `${from}: ${pathname}${hash}`),
  );
  expect(broken).toEqual([]);
  expect(rig.complaints()).toEqual([]);
});

describe("a reader", () => {
  test("finds a page by a word of it, and opens it by the keyboard", async () => {
    const page = await shown("index.html", "light");
    await page.keyboard.press("Control+k");
    await page.locator(".VPLocalSearchBox input").fill("stabilizationWindowSeconds");
    await page.locator(".VPLocalSearchBox .result").first().waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => !location.pathname.endsWith("/index.html"));
    await page.locator(".VPDoc h1").waitFor();
    expect(await page.locator("main").innerText()).toContain("stabilizationWindowSeconds");
    expect(rig.complaints()).toEqual([]);
  });

  test("chooses the dark theme, which stays", async () => {
    const page = await shown("install.html", "light");
    const color = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const before = await color();
    await page.locator(".VPSwitchAppearance").first().click();
    await page.waitForFunction(() => document.documentElement.classList.contains("dark"));
    await page.reload();
    await page.locator(".VPDoc h1").waitFor();
    expect(await page.evaluate(() => document.documentElement.classList.contains("dark"))).toBe(true);
    expect(await color()).not.toBe(before);
    expect(rig.complaints()).toEqual([]);
  });

  test("goes to the next page, and gets a page for what does not exist", async () => {
    const page = await shown("index.html", "light");
    await page.locator(".pager-link.next").click();
    await page.waitForFunction(() => location.pathname.endsWith("/install.html"));
    expect(await page.locator(".VPDoc h1").innerText()).toContain("Install");
    expect(rig.complaints()).toEqual([]);
    await rig.open("nothing.html");
    // Chromium reports the response itself.
    expect(rig.complaints()).toEqual([expect.stringContaining("status of 404")]);
  });
});
