// The check of one page in a real Chromium, for the files that share the pages between them.
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { pages } from "../../src/navigation.ts";
import { type Rig, violationsOf } from "./browser.ts";

/** Of every page, below the address of the site. */
export const addresses = pages.map(({ path }) =>
  path.replace(/README\.md$/, "index.md").replace(/\.md$/, ".html"),
);

/** Opens it, until the page's own program runs: Vue has a tree in the element that the server filled. */
export async function show(page: Page, url: URL): Promise<Page> {
  await page.goto(url.href);
  await page.locator(".VPDoc h1").waitFor();
  await page.waitForFunction(() => "_vnode" in (document.querySelector("#app") ?? {}));
  return page;
}

/** Whether the page is dark. */
export const isDark = (): boolean => document.documentElement.classList.contains("dark");

async function violationsInBothThemes(page: Page): Promise<readonly string[]> {
  const light = await violationsOf(page);
  await page.emulateMedia({ colorScheme: "dark" });
  await page.waitForFunction(isDark);
  // Of what axe checks, only contrast depends on the theme.
  const dark = await violationsOf(page, ["color-contrast"]);
  await page.emulateMedia({ colorScheme: "light" });
  return [...light, ...dark.map((line) => `dark: ${line}`)];
}

/** Tests of some of the pages, one after the other in one tab. */
export function checkPages(rig: Rig, some: readonly string[]): void {
  let tab: Promise<Page> | undefined;
  test.each(some)("%s is accessible in both themes, and loads nothing from elsewhere", async (address) => {
    tab ??= rig.newPage();
    const page = await show(await tab, new URL(address, rig.address));
    expect(await violationsInBothThemes(page)).toEqual([]);
    expect(rig.complaints()).toEqual([]);
  });
}
