// Names that are no plain words stay text on every page, and push nothing out of it.
import { expect, test } from "vitest";
import { visibleText } from "../../src/ui/visible-text.ts";
import { localBehavior } from "../fixtures/local.ts";
import { hostileNames, hostileObjects } from "../fixtures/objects.ts";
import { createWorld } from "../fixtures/world.ts";
import { texts, useBrowser, watchedOf } from "./browser.ts";

const rig = useBrowser(() => {
  const world = createWorld(0, hostileObjects);
  const [item] = world.shadow.items;
  const items = hostileNames.flatMap((name) =>
    item === undefined
      ? []
      : [
          {
            ...item,
            namespace: name,
            name,
            lastDifference: { step: name, at: "", ours: name, theirs: name },
          },
        ],
  );
  return { ...world, shadow: { ...world.shadow, items } };
});

const pages = [
  ["object", "", ".chart canvas"],
  ["object", "&tab=yaml", "pre.code"],
  ["object", "&tab=pods", ".sorted table"],
  ["trace", "&open=metric-0,metric-1", ".trace .step"],
  ["what-if", "&max=20", ".side"],
] as const;

test.each(hostileNames)("%j on the pages of an object", async (name) => {
  const encoded = encodeURIComponent(name);
  const page = await rig.open("?view=shadow", { width: 320 });
  for (const [view, more, shown] of pages) {
    await page.evaluate((search) => {
      history.pushState(null, "", search);
      dispatchEvent(new PopStateEvent("popstate"));
    }, `?view=${view}&ns=${encoded}&hpa=${encoded}${more}`);
    await page.locator(shown).first().waitFor();
    expect(await page.locator("h1 .object-name").textContent()).toBe(visibleText(name));
    expect(await page.locator(".crumbs").textContent()).toContain(visibleText(name));
    expect(await page.title()).toContain(visibleText(name));
    expect(await page.locator("main img, main script, main iframe, main [onload]").count()).toBe(0);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
  }
  expect(watchedOf(page)).toEqual({ foreign: [], errors: [] });
});

test("in the rows of the fleet, in its namespaces and its filter", async () => {
  const page = await rig.open("?");
  await page.locator("tr.row").first().waitFor();
  const links = await page
    .locator("tr.row a")
    .evaluateAll((all) => all.map((link) => link.getAttribute("title") ?? ""));
  expect(links.toSorted()).toEqual(hostileNames.map((name) => visibleText(`${name}/${name}`)).toSorted());
  const options = await page
    .locator(".choice option")
    .evaluateAll((all) => all.map((option) => (option as HTMLOptionElement).value));
  expect(options).toEqual(["", ...hostileNames.toSorted()]);
  await page.locator("input[type=search]").fill("__proto__");
  await expect.poll(() => page.locator("tr.row").count()).toBe(1);
  await page.locator("tr.row a").click();
  expect(await page.locator("h1 .object-name").textContent()).toBe("__proto__");
  expect(watchedOf(page)).toEqual({ foreign: [], errors: [] });
});

const orderless = ["\u202Equeue", "\u05EA\u05D5\u05E8 7"];

test.each(orderless)("a metric's name %j turns nothing around that is beside it", async (name) => {
  const page = await rig.open("?view=object&ns=constructor&hpa=constructor");
  await page.locator(".panel th.wrap").first().waitFor();
  const left = await page.evaluate(
    (text) => {
      const cell = document.querySelector(".panel th.wrap");
      if (cell === null) throw new Error("no cell");
      cell.textContent = text;
      const node = cell.firstChild;
      if (node === null) throw new Error("no text");
      return ["(", "E", ")"].map((letter) => {
        const range = document.createRange();
        range.setStart(node, text.lastIndexOf(letter));
        range.setEnd(node, text.lastIndexOf(letter) + 1);
        return range.getBoundingClientRect().left;
      });
    },
    visibleText(`${name} (External) 12`),
  );
  expect(left).toEqual(left.toSorted((one, other) => one - other));
});

test("in the comparison and in findings", async () => {
  const shadow = await rig.open("?view=shadow", { width: 320 });
  await shadow.locator(".figures").waitFor();
  const said = await shadow.locator("main").textContent();
  for (const name of hostileNames) expect(said).toContain(visibleText(name));
  expect(await shadow.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
  expect(watchedOf(shadow)).toEqual({ foreign: [], errors: [] });
  const [finding] = localBehavior.findings?.findings ?? [];
  if (finding === undefined) throw new Error("no finding");
  const findings = hostileNames.map((name) => ({
    ...finding,
    object: { ...finding.object, namespace: name, name },
    title: name,
    fix: name,
    evidence: [{ what: name, value: name, from: name }],
  }));
  const behavior = {
    ...localBehavior,
    findings: { at: "", findings, skipped: [], checked: { objects: 6, rules: 46 } },
  };
  const page = await rig.open("?view=findings", { behavior, width: 320 });
  await page.locator(".finding").first().waitFor();
  const titles = await texts(page, ".finding-title");
  expect(titles).toHaveLength(hostileNames.length);
  expect(await page.locator("main img, main script, main iframe, main [onload]").count()).toBe(0);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
  expect(watchedOf(page)).toEqual({ foreign: [], errors: [] });
});
