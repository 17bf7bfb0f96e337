// Links of all pages, and what a reader does on the site.
import { describe, expect, test } from "vitest";
import { useBrowser, violationsOf } from "./browser.ts";
import { addresses, isDark, show } from "./pages.ts";

const rig = useBrowser();

interface Served {
  readonly path: string;
  readonly ids: ReadonlySet<string>;
  readonly links: readonly URL[];
}

async function read(address: string): Promise<Served> {
  const url = new URL(address, rig.address);
  const response = await fetch(url);
  expect(response.status).toBe(200);
  const html = await response.text();
  const values = (name: string) =>
    [...html.matchAll(new RegExp(`<[^>]* ${name}="([^"]*)"`, "g"))].map(([, value = ""]) =>
      value.replaceAll("&amp;", "&"),
    );
  const hrefs = [...html.matchAll(/<a\b[^>]* href="([^"]*)"/g)].map(([, href = ""]) => href);
  return {
    path: url.pathname,
    ids: new Set(values("id")),
    links: hrefs.map((href) => new URL(href.replaceAll("&amp;", "&"), url)),
  };
}

test("every link of every page leads to a page of the site and to a heading of it, or to another site", async () => {
  const served = await Promise.all(addresses.map(read));
  const byPath = new Map(served.map((page) => [page.path, page]));
  const inside = served.flatMap(({ path, links }) =>
    links.filter(({ href }) => href.startsWith(rig.address)).map((target) => ({ path, target })),
  );
  expect(inside.length).toBeGreaterThan(2_000);
  const broken = inside.filter(({ target: { pathname, hash } }) => {
    const found = byPath.get(pathname.replace(/\/$/, "/index.html"));
    return found === undefined || (hash !== "" && !found.ids.has(decodeURIComponent(hash.slice(1))));
  });
  expect(broken.map(({ path, target }) => `${path}: ${target.pathname}${target.hash}`)).toEqual([]);
});

describe("a reader", () => {
  test("finds a page by a word of it, and opens it by the keyboard", async () => {
    const page = await show(await rig.newPage(), new URL("index.html", rig.address));
    await page.keyboard.press("Control+k");
    await page.locator(".VPLocalSearchBox input").fill("stabilizationWindowSeconds");
    await page.locator(".VPLocalSearchBox .result").first().waitFor();
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => !location.pathname.endsWith("/index.html"));
    // The address changes before the page does.
    await page.locator("main", { hasText: "stabilizationWindowSeconds" }).waitFor();
    expect(rig.complaints()).toEqual([]);
  });

  test("who searches without seeing has a dialog with a field and its options", async () => {
    const page = await show(await rig.newPage(), new URL("index.html", rig.address));
    await page.keyboard.press("Control+k");
    const field = page.getByRole("combobox");
    await field.fill("zzzzzzzzzz");
    await page.locator(".no-results").waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await field.fill("stabilization");
    const options = page.getByRole("dialog").getByRole("option");
    await options.first().waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: "dark" });
    await page.waitForFunction(isDark);
    expect(await violationsOf(page, ["color-contrast"])).toEqual([]);
    await page.keyboard.press("ArrowDown");
    const active = await field.getAttribute("aria-activedescendant");
    expect(await options.nth(1).getAttribute("id")).toBe(active);
    expect(await options.nth(1).getAttribute("aria-selected")).toBe("true");
    expect(rig.complaints()).toEqual([]);
  });

  test("chooses the dark theme, which stays", async () => {
    const page = await show(await rig.newPage(), new URL("install.html", rig.address));
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
    const page = await show(await rig.newPage(), new URL("index.html", rig.address));
    await page.locator(".pager-link.next").click();
    await page.waitForFunction(() => location.pathname.endsWith("/install.html"));
    // The address changes before the page does.
    await page.locator(".VPDoc h1", { hasText: "Install" }).waitFor();
    expect(rig.complaints()).toEqual([]);
    const response = await page.goto(new URL("nothing.html", rig.address).href);
    expect(response?.status()).toBe(404);
    expect(await page.locator(".NotFound a").getAttribute("href")).not.toBeNull();
    // Chromium reports the response itself, and nothing else is wrong.
    expect(rig.complaints()).toEqual([expect.stringContaining("status of 404")]);
  });
});

test("the JSON Schemas are at stable paths", async () => {
  const names = ["rules.v1", "workloadautoscaler.v1alpha1", "explain.v1", "decision-record.v1"];
  for (const name of names) {
    const response = await fetch(new URL(`schemas/${name}.json`, rig.address));
    expect([response.status, response.headers.get("content-type")]).toEqual([
      200,
      "application/json; charset=utf-8",
    ]);
    expect(await response.json()).toHaveProperty("$schema");
  }
});
