// What somebody who is paged has to see at once: whole numbers, whole sentences, and no dead end.
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { localBehavior } from "../fixtures/local.ts";
import { createWorld } from "../fixtures/world.ts";
import { texts, useBrowser, violationsOf } from "./browser.ts";

const world = createWorld(30);
const rig = useBrowser(() => world);

/** Texts that their box cuts off. */
function cutIn(page: Page, selector: string): Promise<string[]> {
  return page.locator(selector).evaluateAll((elements) =>
    elements
      .filter((element) => {
        const range = document.createRange();
        range.selectNodeContents(element);
        const { left, right } = range.getBoundingClientRect();
        const box = element.getBoundingClientRect();
        return element.scrollWidth > element.clientWidth || right > box.right + 1 || left < box.left - 1;
      })
      .map((element) => element.textContent ?? ""),
  );
}

describe("the fleet", () => {
  const wide = world.rows
    .filter(({ name }) => name === "billing")
    .map((row) => ({ ...row, current: 12_345, proposed: 10_000, desired: 12_345 }));

  test.each([320, 390, 768, 1024, 1440])("at %i px no number is cut", async (width) => {
    const page = await rig.open("?q=billing", { width, behavior: { stream: () => wide } });
    await page.locator("tr.row .c-now", { hasText: "12345" }).first().waitFor();
    expect(await cutIn(page, "tr.row > .num")).toEqual([]);
  });

  test.each([768, 1024, 1440])("at %i px the note is a whole sentence", async (width) => {
    const page = await rig.open("?", { width });
    const note = (name: string) => page.locator("tr.row", { hasText: name }).locator(".c-note").last();
    await note("import").waitFor();
    expect(await note("billing").innerText()).toContain("argocd-controller");
    expect(await note("shop").innerText()).toContain("can scale down at 10:03:47");
    expect(await cutIn(page, "tr.row:has-text('import') .c-note, tr.row:has-text('shop') .c-note")).toEqual(
      [],
    );
  });

  test.each([1024, 1280])("at %i px the deciding metric has its whole name", async (width) => {
    const [row] = wide;
    const metrics = [{ name: "requests-per-second", value: "1", target: "1", ratio: 1 }];
    const decided = { ...row, metrics, decidedBy: 0 } as (typeof wide)[0];
    const page = await rig.open("?q=billing", { width, behavior: { stream: () => [decided] } });
    await page.locator("tr.row .c-by", { hasText: "requests-per-second" }).waitFor();
    expect(await cutIn(page, "tr.row > .c-by")).toEqual([]);
  });

  test("anywhere in a row opens it", async () => {
    const page = await rig.open("?q=shop");
    await page.locator("tr.row .c-note", { hasText: "can scale down" }).first().click();
    await expect.poll(() => page.locator("h1 .object-name").textContent()).toBe("shop");
  });

  test("a limit that holds is named with its number, and what the metrics call for", async () => {
    const { otherWriter: _, note: __, ...row } = wide[0] ?? world.rows[0] ?? {};
    const held = { ...row, current: 10, proposed: 14, desired: 10, heldBy: "max", max: 10, action: "hold" };
    const page = await rig.open("?q=billing", { behavior: { stream: () => [held as (typeof wide)[0]] } });
    const note = page.locator("tr.row", { hasText: "metrics call for" }).locator(".c-note");
    await expect.poll(() => note.innerText()).toBe("metrics call for 14, maxReplicas is 10");
  });
});

const tables = [
  ["fleet", "?", "table.fleet"],
  ["metrics", "?view=object&ns=default&hpa=shop", "table.metrics"],
  ["pods", "?view=object&ns=web&wla=checkout&tab=pods", ".sorted table"],
  ["pods of a metric", "?view=trace&ns=default&hpa=shop", ".sorted table"],
  ["shadow", "?view=shadow", ".sorted table"],
] as const;

test.each(tables)("each heading of the table %s explains its column", async (_, search, table) => {
  const page = await rig.open(search, { behavior: localBehavior });
  await page.locator(`${table} tbody tr`).first().waitFor();
  const titles = await page
    .locator(`${table} thead th`)
    .evaluateAll((headings) => headings.map((heading) => heading.getAttribute("title") ?? ""));
  expect(titles.length).toBeGreaterThan(3);
  expect(titles.filter((title) => title.split(" ").length < 2)).toEqual([]);
});

const narrow = [
  ["object", "?view=object&ns=default&hpa=shop", "table.metrics"],
  ["object that failed", "?view=object&ns=batch&hpa=import", "table.metrics"],
  ["pods", "?view=object&ns=web&wla=checkout&tab=pods", ".sorted table"],
  ["trace", "?view=trace&ns=default&hpa=shop&at=2026-11-22T09:59:02.000Z&compare=1", ".step.differs"],
  ["what-if", "?view=what-if&ns=default&hpa=shop&v1=270", ".side.changed"],
  ["shadow", "?view=shadow", ".sorted table"],
] as const;

test.each(narrow)("at 390 px %s shows all columns without scrolling aside", async (_, search, shown) => {
  const page = await rig.open(search, { width: 390, height: 844, behavior: localBehavior });
  await page.locator(shown).first().waitFor();
  expect(await cutIn(page, ".scroller, .tag, .step h3 button, .headline, td, .side")).toEqual([]);
  expect(await violationsOf(page)).toEqual([]);
});

describe("an object", () => {
  test("a metric has the same numbers in its chart and in its table", async () => {
    const page = await rig.open("?view=object&ns=default&hpa=shop&metric=1");
    await page.locator(".chart canvas").nth(1).waitFor();
    expect(await texts(page, ".chart:nth-of-type(2) .legend li")).toEqual([
      "queue_depth (External), per pod 12",
      "target 30",
    ]);
    expect(await texts(page, "table.metrics tbody tr:nth-child(2) > *")).toEqual([
      "queue_depth (External)",
      "96\n12 each",
      "30 each",
      "0.4",
      "4",
    ]);
  });

  test("no two lines of a chart have one name", async () => {
    const page = await rig.open("?view=object&ns=default&hpa=shop&span=6h", { behavior: localBehavior });
    await page.locator(".chart canvas").nth(1).waitFor();
    expect(await texts(page, ".chart:nth-of-type(1) .legend li")).toEqual([
      "replicas 9",
      "desired 9",
      "max 40",
      "min 2",
    ]);
    expect(await texts(page, ".chart:nth-of-type(2) .legend li")).toEqual([
      "cpu, % of requests 55.53%",
      "target 60%",
    ]);
  });

  test("a line without a value is not in the legend", async () => {
    const page = await rig.open("?view=object&ns=batch&hpa=import");
    await page.locator(".chart canvas").first().waitFor();
    expect(await texts(page, ".legend li")).toEqual(["replicas 3"]);
  });

  test("equal decisions are one line, and findings are in the first view", async () => {
    const page = await rig.open("?view=object&ns=pay&hpa=billing", { width: 1440, behavior: localBehavior });
    await page.locator(".findings .finding").first().waitFor();
    const { y = Number.NaN, height = 0 } = (await page.locator(".findings").boundingBox()) ?? {};
    expect(y + height).toBeLessThan(900);
    expect(await texts(page, ".decisions li")).toHaveLength(1);
    expect(await page.locator(".decisions li").innerText()).toMatch(/proposed 6\d–75 ×24\s+stays 40\s+max/);
    await page.getByRole("button", { name: "Show all 24" }).click();
    await expect.poll(() => page.locator(".decisions li").count()).toBe(24);
  });

  test.each(["object", "trace", "what-if"])("%s: one that is not there is not found", async (view) => {
    const page = await rig.open(`?view=${view}&ns=web&hpa=shop`);
    const panel = page.locator(".error-panel");
    await panel.getByText('HorizontalPodAutoscaler "shop" not found in namespace web').waitFor();
    expect(await panel.innerText()).not.toContain("there is nothing");
    await panel.getByRole("link", { name: "HorizontalPodAutoscaler default/shop" }).click();
    await page.locator(".chart canvas").first().waitFor();
  });
});

describe("what-if", () => {
  const refused = [
    ["max=0", "max: 0 is too low, use at least 1"],
    ["min=9&max=4", "max: 4 is less than min, which is 9"],
    ["max=1", "max: 1 is less than min, which is 2"],
    ["window=3601", "window: 3601 is above 3600"],
    ["tolerance=-1", 'tolerance: invalid quantity "-1", use 0 or more'],
    ["t0=0", 'metric 1: invalid target "0", use a whole number above 0'],
    ["t1=many", 'metric 2: invalid target "many", use a quantity above 0'],
  ] as const;

  test.each(refused)("%s is refused as the API server would", async (edits, message) => {
    const page = await rig.open(`?view=what-if&ns=default&hpa=shop&${edits}`);
    await page.locator(".what-if .failed-text").waitFor();
    expect(await texts(page, ".what-if .failed-text")).toEqual([message]);
    expect(await page.getByRole("button", { name: "copy patch" }).isDisabled()).toBe(true);
    expect(await page.locator('.field input[aria-invalid="true"]').count()).toBe(1);
    expect(new Set(await texts(page, ".side-figure")).size).toBe(1);
    expect(await violationsOf(page)).toEqual([]);
  });

  test("min 0 needs a metric that is not of pods", async () => {
    const page = await rig.open("?view=what-if&ns=web&wla=checkout&min=0");
    await page.getByText("min: 0 needs an External or Object metric, use at least 1").waitFor();
    expect(await page.getByRole("button", { name: "copy patch" }).isDisabled()).toBe(true);
    const other = await rig.open("?view=what-if&ns=default&hpa=shop&min=0");
    await other.locator(".side").first().waitFor();
    expect(await other.locator(".failed-text").count()).toBe(0);
    expect(await other.getByRole("button", { name: "copy patch" }).isEnabled()).toBe(true);
  });

  test("a metric that could not be read has a field for a value", async () => {
    const page = await rig.open("?view=what-if&ns=batch&hpa=import");
    await page.getByText("Could not be read: FailedGetExternalMetric").waitFor();
    const field = page.getByLabel("queue_lag, exact");
    expect(await field.inputValue()).toBe("");
    await field.fill("500");
    await page.locator(".side.changed", { hasText: "proposed 5, goes to 5" }).waitFor();
    await field.fill("");
    await expect.poll(() => page.locator(".side.changed").count()).toBe(0);
  });

  test("a value has no problem where limits decide alone", async () => {
    const page = await rig.open("?view=what-if&ns=default&hpa=shop&v1=270&max=6");
    await page.locator(".side.changed").waitFor();
    expect(await page.locator(".failed-text").count()).toBe(0);
    expect(await page.locator(".first-difference").innerText()).toBe("First step that differs: limits");
  });
});
