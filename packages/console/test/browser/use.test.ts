import { decide, explain, headLine } from "@plimsoll/core";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { editsFrom } from "../../src/what-if/edits.ts";
import { recordedResult, whatIf } from "../../src/what-if/what-if.ts";
import { fixtureObjects } from "../fixtures/objects.ts";
import { historyOf } from "../fixtures/world.ts";
import { texts, useBrowser, violationsOf, watchedOf } from "./browser.ts";

const rig = useBrowser();
const shopObject = fixtureObjects[0];
if (shopObject === undefined) throw new Error("no object");
const shop = historyOf(shopObject);

const query = (page: Page) => new URL(page.url()).searchParams;

describe("keys of the fleet", () => {
  test("slash filters, arrows and j, k move, enter opens, u goes up", async () => {
    const page = await rig.open("?");
    await page.locator("tr.row").first().waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("web/");
    expect(query(page).get("q")).toBe("web/");
    await page.keyboard.press("Escape");
    await page.keyboard.press("j");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("k");
    await page.keyboard.press("j");
    const focused = page.locator("tr.row a:focus");
    await focused.waitFor();
    const name = await focused.getAttribute("title");
    await page.keyboard.press("Enter");
    await page.locator("h1 .object-name").waitFor();
    expect(name).toContain(await page.locator("h1 .object-name").textContent());
    await page.keyboard.press("u");
    await page.locator("tr.row").first().waitFor();
    expect(query(page).get("view")).toBeNull();
  });

  test("the help lists the keys and switches letters off", async () => {
    const page = await rig.open("?");
    await page.locator("tr.row").first().waitFor();
    await page.keyboard.press("?");
    await page.locator("dialog.help").waitFor();
    expect(await page.locator("dialog.help").innerText()).toMatch(/filter[^]*next row[^]*keys and help/);
    expect(await violationsOf(page)).toEqual([]);
    await page.getByLabel("Single-key shortcuts").uncheck();
    await page.getByRole("button", { name: "Close" }).click();
    await page.keyboard.press("/");
    expect(await page.locator("input[type=search]:focus").count()).toBe(0);
    await page.keyboard.press("ArrowDown");
    await page.locator("tr.row a:focus").waitFor();
  });

  test("a long list keeps the row of the cursor in view", async () => {
    const page = await rig.open("?");
    await page.locator("tr.row").first().waitFor();
    for (let press = 0; press < 60; press++) await page.keyboard.press("ArrowDown");
    const focused = page.locator("tr.row a:focus");
    await focused.waitFor();
    await expect.poll(async () => (await focused.boundingBox())?.y ?? -1).toBeLessThan(900);
    const row = page.locator("tr.row:has(a:focus)");
    await expect.poll(async () => Number(await row.getAttribute("aria-rowindex"))).toBeGreaterThan(50);
    expect(await page.locator("table.fleet").getAttribute("aria-rowcount")).toBe("213");
  });
});

test("headings sort, and counts filter; both are in the address and come back from it", async () => {
  const page = await rig.open("?");
  await page.getByRole("button", { name: "Want" }).click();
  await page.getByRole("button", { name: /at a limit/ }).click();
  const address = page.url();
  expect(query(page).get("sort")).toBe("want");
  expect(query(page).get("state")).toBe("limited");
  const rows = await texts(page, "tr.row .c-name");
  expect(await page.locator("th.c-want").getAttribute("aria-sort")).toBe("descending");
  await page.goto("about:blank");
  await page.goto(address);
  await page.locator("tr.row").first().waitFor();
  expect(await texts(page, "tr.row .c-name")).toEqual(rows);
  await page.goBack();
});

test("rows change as the stream says", async () => {
  const { row } = shop;
  const page = await rig.open("?q=shop", { behavior: { stream: () => [{ ...row, current: 77 }] } });
  await page.locator("tr.row .c-now", { hasText: "77" }).waitFor();
  expect(watchedOf(page).errors).toEqual([]);
});

describe("keys of an object", () => {
  test("brackets step through decisions, e opens all, w asks what if, t shows tables", async () => {
    const page = await rig.open("?view=trace&ns=default&hpa=shop");
    await page.locator(".trace .step").first().waitFor();
    // Of two presses the second may come before the first one is drawn.
    await page.evaluate(() => {
      for (const key of ["[", "[", "[", "]", "]", "]"])
        window.dispatchEvent(new KeyboardEvent("keydown", { key }));
    });
    expect(query(page).get("at")).toBe(shop.decisions.at(-1)?.at);
    await page.evaluate(() => {
      for (const key of ["[", "[", "]"]) window.dispatchEvent(new KeyboardEvent("keydown", { key }));
    });
    expect(query(page).get("at")).toBe(shop.decisions.at(-2)?.at);
    await page.keyboard.press("]");
    // Each key is about what the page shows by then.
    const showsDecision = (back: number) =>
      expect.poll(() => query(page).get("at")).toBe(shop.decisions.at(-back)?.at);
    await page.keyboard.press("[");
    await showsDecision(2);
    await page.locator(".trace .step").first().waitFor();
    await page.keyboard.press("[");
    await showsDecision(3);
    await page.locator(".trace .step").first().waitFor();
    await page.keyboard.press("]");
    await showsDecision(2);
    await page.locator(".trace .step").first().waitFor();
    await page.keyboard.press("e");
    await expect.poll(() => page.locator('.step button[aria-expanded="false"]').count()).toBe(0);
    await page.keyboard.press("w");
    await page.locator(".what-if").waitFor();
    await showsDecision(2);
    await page.keyboard.press("u");
    await page.locator(".chart canvas").first().waitFor();
    await page.keyboard.press("t");
    await page.locator(".chart table").first().waitFor();
    expect(await page.locator(".chart canvas").count()).toBe(0);
  });

  test("a chart is read by arrows, and its table has the same values", async () => {
    const page = await rig.open("?view=object&ns=default&hpa=shop");
    const slider = page.getByRole("slider", { name: "Replicas, proposed, limits: moment" });
    await slider.focus();
    expect(await slider.getAttribute("aria-valuetext")).toBe(
      "10:00:02: replicas 8, proposed 5, max 40, min 2",
    );
    await page.keyboard.press("ArrowLeft");
    expect(await slider.getAttribute("aria-valuetext")).toContain("09:59:47");
    await page.keyboard.press("Home");
    const first = await slider.getAttribute("aria-valuetext");
    await page.getByRole("button", { name: "table" }).click();
    const cells = await texts(page, "#main .chart:first-of-type tbody tr:last-child > *");
    expect(first).toBe(
      `${cells[0]}: replicas ${cells[1]}, proposed ${cells[2]}, max ${cells[3]}, min ${cells[4]}`,
    );
  });

  test("a chart says what the pointer is over, and nothing after it left", async () => {
    const page = await rig.open("?view=object&ns=default&hpa=shop");
    const canvas = page.locator(".chart canvas").first();
    await canvas.waitFor();
    const over = page.locator(".chart .u-over").first();
    const { width = 0 } = (await over.boundingBox()) ?? {};
    await over.hover({ position: { x: width - 2, y: 30 } });
    const moment = page.locator(".moment").first();
    await expect.poll(() => moment.innerText()).toBe("10:00:02: replicas 8, proposed 5, max 40, min 2");
    await page.locator("h1").hover();
    await expect.poll(async () => (await moment.innerText()).trim()).toBe("");
    // The line of the replicas has its color: something is drawn.
    const colors = await canvas.evaluate((element: HTMLCanvasElement) => {
      const pixels = element.getContext("2d")?.getImageData(0, 0, element.width, element.height).data ?? [];
      const seen = new Set<string>();
      for (let at = 0; at < pixels.length; at += 4)
        if (pixels[at + 3] === 255) seen.add(`${pixels[at]},${pixels[at + 1]},${pixels[at + 2]}`);
      return [...seen];
    });
    expect(colors).toContain("11,92,171");
  });

  test("the open object is said in the live region", async () => {
    const page = await rig.open("?view=object&ns=default&hpa=shop");
    const { decision, at } = shop.decisions.at(-1) ?? {};
    if (decision === undefined) throw new Error("no decision");
    const sentence = headLine(decision, { atMs: Date.parse(at ?? "") });
    await expect.poll(() => page.locator("#announcements").textContent()).toBe(sentence);
  });

  test("what is copied is the command, and core's own words", async () => {
    const page = await rig.open("?view=trace&ns=default&hpa=shop");
    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    await page.getByRole("button", { name: "copy as text" }).click();
    const { decision } = shop.decisions.at(-1) ?? {};
    if (decision === undefined) throw new Error("no decision");
    await expect.poll(copied).toBe(explain(decision, "text"));
    await page.getByRole("link", { name: "shop" }).click();
    await page.getByRole("button", { name: "Copy kubectl command" }).click();
    await expect.poll(copied).toBe("kubectl plimsoll explain hpa/shop -n default");
  });

  test("tables of pods are sorted and paged in the address", async () => {
    const page = await rig.open("?view=trace&ns=pay&hpa=billing&open=metric-0");
    await page.locator(".trace .step").first().waitFor();
    const pods = await rig.open("?view=object&ns=pay&hpa=billing&tab=pods&pods=pod+down&pods-page=2");
    await pods.locator(".pager").waitFor();
    expect(await pods.locator("tbody tr").count()).toBe(15);
    expect(await pods.locator('th[aria-sort="descending"]').innerText()).toContain("Pod");
    await pods.getByRole("button", { name: "previous" }).click();
    expect(await pods.locator("tbody tr").count()).toBe(25);
  });
});

describe("what-if", () => {
  const record = shop.records.at(-1);
  if (record === undefined) throw new Error("no record");
  const edits: readonly Readonly<Record<string, string>>[] = [
    {},
    { v0: "90" },
    { v0: "12", window: "0" },
    { v1: "270" },
    { t0: "30", max: "9" },
    { min: "12" },
    { unready: "5", v0: "80" },
    { tolerance: "0.5", window: "0" },
  ];

  test.each(edits)("%j in the page is what decide gives in Node", async (params) => {
    const page = await rig.open(
      `?${new URLSearchParams({ view: "what-if", ns: "default", hpa: "shop", ...params }).toString()}`,
    );
    await page.locator(".side").first().waitFor();
    const made = whatIf(record, recordedResult(record), editsFrom(params));
    const { decision } = decide(made.input, record.memory);
    const atMs = record.input.nowMs;
    const said = await texts(page, ".side .note");
    expect(said).toEqual([
      headLine(recordedResult(record).decision, { atMs, isRecomputed: true }),
      headLine(decision, { atMs, isRecomputed: true }),
    ]);
  });

  test("a slider changes the address, reset takes it back, the patch is copied", async () => {
    const page = await rig.open("?view=what-if&ns=default&hpa=shop");
    const slider = page.getByRole("slider", { name: "queue_depth" });
    await slider.focus();
    for (let press = 0; press < 5; press++) await page.keyboard.press("ArrowRight");
    expect(Number(query(page).get("v1"))).toBeGreaterThan(90);
    await page.getByLabel("max", { exact: true }).fill("80");
    await page.getByRole("button", { name: "copy patch" }).click();
    await expect
      .poll(() => page.evaluate(() => navigator.clipboard.readText()))
      .toBe(`kubectl patch hpa shop -n default --type=merge -p '{"spec":{"maxReplicas":80}}'`);
    await page.getByRole("button", { name: "reset" }).click();
    expect([...query(page).keys()]).toEqual(["view", "ns", "hpa"]);
    expect(rig.server().requests.every((request) => request.startsWith("GET "))).toBe(true);
  });

  test("30 minutes are played in the page", async () => {
    const page = await rig.open("?view=what-if&ns=default&hpa=shop");
    await page.getByRole("button", { name: "play 30 min" }).click();
    const chart = page.getByRole("slider", { name: /The next 30 minutes/ });
    await chart.waitFor();
    await chart.focus();
    await page.keyboard.press("End");
    expect(await chart.getAttribute("aria-valuetext")).toContain("10:30:02: replicas 5, desired 5");
    expect(await violationsOf(page)).toEqual([]);
  });
});
