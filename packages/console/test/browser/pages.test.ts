import { describe, expect, test } from "vitest";
import { indexDocument, localBehavior } from "../fixtures/local.ts";
import { hostileName } from "../fixtures/objects.ts";
import { useBrowser, violationsOf, watchedOf } from "./browser.ts";

const rig = useBrowser();
const hostile = encodeURIComponent(hostileName);

/** Every page, with something that is there only once it is shown. */
const pages: readonly (readonly [name: string, search: string, shown: string])[] = [
  ["fleet", "?", "table.fleet tbody tr.row"],
  ["fleet, filtered", "?q=shop", "table.fleet tbody tr.row"],
  ["object", "?view=object&ns=default&hpa=shop", ".chart canvas"],
  ["object as tables", "?view=object&ns=default&hpa=shop&table=1", ".chart table"],
  ["object, checked", "?view=object&ns=web&wla=checkout&check=1", ".findings, section .muted"],
  ["pods", "?view=object&ns=web&wla=checkout&tab=pods", ".sorted table"],
  ["specification", "?view=object&ns=default&hpa=shop&tab=yaml", "pre.code"],
  ["trace", "?view=trace&ns=default&hpa=shop", ".trace .step"],
  [
    "trace, compared",
    "?view=trace&ns=default&hpa=shop&at=2026-11-22T09:59:02.000Z&compare=1",
    ".step.differs",
  ],
  ["trace of a rate", "?view=trace&ns=web&wla=checkout&at=2026-11-22T09:58:32.000Z", ".trace .step"],
  ["trace of a failure", "?view=trace&ns=batch&hpa=import", ".step.failed"],
  ["what-if", "?view=what-if&ns=default&hpa=shop&v1=270&max=6", ".side.changed"],
  ["what-if without a value", "?view=what-if&ns=batch&hpa=import", ".side"],
  ["shadow", "?view=shadow", ".figures"],
  ["findings", "?view=findings", ".counts .total"],
  ["hostile object", `?view=object&ns=web&hpa=${hostile}`, ".chart canvas"],
  ["hostile trace", `?view=trace&ns=web&hpa=${hostile}`, ".trace .step"],
  ["hostile what-if", `?view=what-if&ns=web&hpa=${hostile}`, ".side"],
];

describe.each(["light", "dark"] as const)("in the %s theme", (theme) => {
  test.each(pages)(
    "%s is shown, accessible, and loads nothing from elsewhere",
    async (_name, search, shown) => {
      const page = await rig.open(search, { theme });
      await page.locator(shown).first().waitFor();
      expect(await violationsOf(page)).toEqual([]);
      expect(watchedOf(page)).toEqual({ foreign: [], errors: [] });
      expect(await page.locator("main img, main script, main iframe").count()).toBe(0);
      expect(await page.title()).toContain("Plimsoll");
    },
  );
});

test.each(pages)("%s fits into 320 pixels", async (_name, search, shown) => {
  const page = await rig.open(search, { width: 320, height: 640 });
  await page.locator(shown).first().waitFor();
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBeLessThanOrEqual(320);
});

test("hostile names are text wherever they are", async () => {
  const page = await rig.open(`?q=${encodeURIComponent("onerror")}`);
  const link = page.locator("table.fleet a").first();
  expect(await link.getAttribute("title")).toBe(`web/${hostileName}`);
  await link.click();
  await page.locator("h1 .object-name").waitFor();
  expect(await page.locator("h1 .object-name").textContent()).toBe(hostileName);
  expect(await page.locator("main").textContent()).toContain("<script>alert(1)</script>");
  expect(await page.title()).toContain(hostileName);
});

test("the page of an object, its findings and its row name another client that writes it", async () => {
  const page = await rig.open("?view=object&ns=pay&hpa=billing&check=1");
  await page.locator(".findings .finding-title").first().waitFor();
  expect(await page.locator("dl.facts").textContent()).toContain(
    "argocd-controller has changed the replicas back 14 times since 2026-11-22T09:00:00Z, most recently at 2026-11-22T09:58:00Z. The autoscaler writes them again at 2026-11-22T10:02:00Z, or at once if they are outside minReplicas and maxReplicas.",
  );
  expect(await page.locator(".findings").textContent()).toContain("another client sets the replicas back");
  const fleet = await rig.open("?q=billing&problems=1");
  await fleet.locator(".c-note").first().waitFor();
  expect(await fleet.locator("table.fleet").textContent()).toContain(
    "argocd-controller changed the replicas back 14 times",
  );
});

test("the local server's page has its context, findings and history", async () => {
  const page = await rig.open("?view=object&ns=pay&hpa=billing&span=6h", { behavior: localBehavior });
  await page.locator(".chart canvas").first().waitFor();
  expect(await page.locator(".context").textContent()).toBe(indexDocument.context);
  expect(await page.locator(".finding-title").first().textContent()).toContain("another manager sets");
  expect(rig.server().requests.some((request) => request.includes("/apis/console/v1/history/"))).toBe(true);
  expect(await violationsOf(page)).toEqual([]);
  const findings = await rig.open("?view=findings&severity=error", { behavior: localBehavior });
  await findings.locator(".finding").first().waitFor();
  expect(await findings.locator(".finding").count()).toBe(1);
  expect(await findings.locator(".skipped summary").textContent()).toContain("Not checked: 1 rule");
  expect(await violationsOf(findings)).toEqual([]);
});

test("the theme is changed, kept, and no name of the cluster with it", async () => {
  const page = await rig.open("?view=object&ns=default&hpa=shop");
  await page.locator(".chart canvas").first().waitFor();
  const before = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await page.getByRole("button", { name: "Theme: auto. Change to light" }).click();
  await page.getByRole("button", { name: "Theme: light. Change to dark" }).click();
  // The page draws it in the next frame.
  await page.waitForFunction((was) => getComputedStyle(document.body).backgroundColor !== was, before);
  await page.reload();
  await page.getByRole("button", { name: "Theme: dark. Change to auto" }).waitFor();
  const stored = await page.evaluate(
    () => JSON.stringify(Object.entries(localStorage)) + JSON.stringify(Object.entries(sessionStorage)),
  );
  expect(stored).not.toContain("shop");
  expect(await page.evaluate(() => document.cookie)).toBe("");
});
