import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cssBudget, pageSizes, pages } from "../../build/sizes.ts";
import { createWorld } from "../fixtures/world.ts";
import { useBrowser } from "./browser.ts";
import { dist } from "./build.ts";

const rig = useBrowser(() => createWorld(10_000));

test.each(pages)("$page keeps its budget", ({ page, jsBudget }) => {
  const size = pageSizes(dist).find((one) => one.page === page);
  expect(size?.js).toBeLessThanOrEqual(jsBudget);
  expect(size?.css).toBeLessThanOrEqual(cssBudget);
});

test("the page has nothing inline, and names no other origin", () => {
  const html = readFileSync(join(dist, "index.html"), "utf8");
  expect(html).not.toMatch(/<style|\sstyle=|\son\w+=|https?:/);
  expect(html.match(/<script[^>]*>[^<]+</)).toBeNull();
});

test("of 10,000 objects a window is in the document, also after scrolling", async () => {
  const page = await rig.open("?");
  await page.getByText("10,006 autoscalers").waitFor();
  await expect.poll(() => page.locator(".counts .total").innerText()).toBe("10,006 autoscalers");
  const nodes = () => page.evaluate(() => document.querySelectorAll("*").length);
  expect(await nodes()).toBeLessThan(3_000);
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight / 2));
  await expect
    .poll(() => page.locator("tr.row").first().getAttribute("data-index"))
    .toMatch(/^4\d\d\d$|^5\d\d\d$/);
  expect(await nodes()).toBeLessThan(3_000);
});
