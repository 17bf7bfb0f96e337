// The playground and the live cases in a real Chromium.
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { examples } from "../../src/playground/examples.ts";
import { fragmentOf } from "../../src/playground/link.ts";
import { useBrowser } from "./browser.ts";
import { show } from "./pages.ts";

const rig = useBrowser();
const address = new URL("playground.html", rig.address);

async function openPlayground(fragment = "", width = 1280): Promise<Page> {
  const page = await rig.newPage();
  await page.setViewportSize({ width, height: 900 });
  await show(page, new URL(fragment === "" ? address : `${address}#${fragment}`));
  await page.locator(".side-figure").first().waitFor();
  return page;
}

const figure = (page: Page, text: string) =>
  page.locator(".side-figure", { hasText: text }).first().waitFor();
const editor = (page: Page, label: string) => page.getByLabel(label, { exact: true });

test("an edited value changes the decision, and a mistake is named while the last decision stays", async () => {
  const page = await openPlayground();
  await figure(page, "4 → 6");
  const situation = editor(page, "Pods and values");
  await situation.fill("replicas: 4\npods:\n  - { count: 4, requests: { cpu: 500m }, usage: { cpu: 600m } }");
  await figure(page, "4 → 8");
  await situation.fill("replicas: four");
  await page.getByText("four is not a whole number").waitFor();
  expect(await page.locator(".problems b").allInnerTexts()).toEqual(["replicas"]);
  expect(await situation.getAttribute("aria-invalid")).toBe("true");
  await figure(page, "4 → 8");
  expect(rig.complaints()).toEqual([]);
});

test("a link has the texts and what was changed beside them, and reset goes back to what was written", async () => {
  const page = await openPlayground();
  await page.getByLabel("Example").selectOption("queue");
  await figure(page, "3 → 6");
  await page.getByLabel("max", { exact: true }).fill("5");
  await page.getByLabel("queue_depth, exact").fill("900");
  await figure(page, "3 → 5");
  await page.getByRole("button", { name: "copy link" }).click();
  await page.getByText(/The link is/).waitFor();
  const link = page.url();
  const other = await openPlayground(new URL(link).hash.slice(1));
  await figure(other, "3 → 5");
  expect(await editor(other, "HorizontalPodAutoscaler").inputValue()).toContain("queue_depth");
  await other.getByRole("button", { name: "reset" }).click();
  await figure(other, "3 → 6");
  expect(rig.complaints()).toEqual([]);
});

test("hostile links put no element into the page", async () => {
  const evil = `"><img src=x onerror="document.title='taken'"><script>document.title='taken'</script>`;
  const hpa = `apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: { name: ${JSON.stringify(evil)} }\n`;
  const fragments = [
    fragmentOf({ hpa: evil, situation: evil, edits: {} }),
    fragmentOf({
      hpa: `${hpa}${JSON.stringify(evil)}: 1`,
      situation: `${JSON.stringify(evil)}: 1`,
      edits: { v0: evil.slice(0, 50) },
    }),
    fragmentOf({
      hpa: `${hpa.replace(JSON.stringify(evil), "a")}spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: a }
  maxReplicas: 9
  metrics:
    - type: External
      external: { metric: { name: ${JSON.stringify(evil)} }, target: { type: Value, value: 1 } }`,
      situation: `replicas: 1\nmetrics: { ${JSON.stringify(evil)}: 5 }`,
      edits: { t0: "<b>", tolerance: "<b>" },
    }),
    "v2.aaaa",
    "v1.%00<script>",
  ];
  for (const fragment of fragments) {
    const page = await rig.newPage();
    await show(page, new URL(`${address}#${fragment}`));
    await page.getByLabel("Example").waitFor();
    const foreign = await page.evaluate(() => {
      const root = document.querySelector(".live-part")?.shadowRoot;
      return root?.querySelectorAll("img, script, b b").length;
    });
    expect(foreign).toBe(0);
    expect(await page.title()).toBe("Playground | Plimsoll");
  }
  expect(rig.complaints()).toEqual([]);
});

test("the back button shows what each address had, and what was edited stays beside a heading", async () => {
  const page = await openPlayground();
  const situation = editor(page, "Pods and values");
  const linked = fragmentOf({
    hpa: await editor(page, "HorizontalPodAutoscaler").inputValue(),
    situation: "replicas: 4\npods: [{ count: 4, requests: { cpu: 500m }, usage: { cpu: 600m } }]",
    edits: {},
  });
  await page.evaluate((hash) => location.assign(`#${hash}`), linked);
  await figure(page, "4 → 8");
  await page.goBack();
  await figure(page, "4 → 6");
  await page.goForward();
  await figure(page, "4 → 8");
  await situation.fill((await situation.inputValue()).replace("600m", "450m"));
  await figure(page, "4 → 6");
  await page.evaluate(() => location.assign("#links"));
  await page.goBack();
  await page.waitForFunction((hash) => location.hash === `#${hash}`, linked);
  expect(await situation.inputValue()).toContain("450m");
  expect(rig.complaints()).toEqual([]);
});

test("a link that the page could not read is not copied", async () => {
  const page = await openPlayground();
  await editor(page, "Pods and values").fill(`replicas: 4\n# ${"long ".repeat(4_000)}`);
  await page.getByRole("button", { name: "copy link" }).click();
  await page.getByText(/A text has 20\d+ characters, and a link takes 16384/).waitFor();
  expect(new URL(page.url()).hash).toBe("");
  expect(rig.complaints()).toEqual([]);
});

test("a maximum of billions is not played to its end", async () => {
  const page = await openPlayground(
    fragmentOf({
      hpa: (examples[0]?.text.hpa ?? "").replace("maxReplicas: 12", "maxReplicas: 2147483647"),
      situation: "replicas: 4\npods: [{ count: 4, requests: { cpu: 1m }, usage: { cpu: 4G } }]",
      edits: {},
    }),
  );
  await page.getByRole("button", { name: "play 30 min" }).click();
  await page.getByText(/more than 10000 pods would be needed/).waitFor();
  expect(rig.complaints()).toEqual([]);
});

test("a refused link says why, and shows the first example", async () => {
  const page = await openPlayground("v2.aaaa");
  expect(await page.getByRole("alert").innerText()).toContain("this page reads v1");
  await figure(page, "4 → 6");
  expect(rig.complaints()).toEqual([]);
});

test("it works with the keyboard: an example, a slider, a step of the trace", async () => {
  const page = await openPlayground();
  await page.getByLabel("Example").focus();
  await page.keyboard.press("ArrowDown");
  await figure(page, "3 → 6");
  await page.getByRole("slider", { name: "queue_depth" }).focus();
  await page.keyboard.press("Home");
  await page.locator(".side.changed", { hasText: "with these values" }).waitFor();
  const step = page.locator(".trace button[aria-expanded=false]").first();
  await step.focus();
  const id = await step.getAttribute("aria-controls");
  await page.keyboard.press("Enter");
  await page.locator(`#${id}`).waitFor();
  expect(rig.complaints()).toEqual([]);
});

test("the next 30 minutes are played, and drawn", async () => {
  const page = await openPlayground();
  await page.getByRole("button", { name: "play 30 min" }).click();
  await page.locator("canvas").first().waitFor();
  expect(rig.complaints()).toEqual([]);
});

test.each([320, 768])("at %s px nothing is wider than the window", async (width) => {
  const page = await openPlayground("", width);
  for (const path of ["playground.html", "how-replicas-are-calculated.html"]) {
    await page.goto(new URL(path, rig.address).href);
    await page.locator(".side-figure").first().waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
  }
  expect(rig.complaints()).toEqual([]);
});

test("the explanation shows its two cases live, and one of them opens in the playground", async () => {
  const page = await show(await rig.newPage(), new URL("how-replicas-are-calculated.html", rig.address));
  await page.locator(".open-link a").nth(1).waitFor();
  expect(await page.locator(".side-figure").allInnerTexts()).toEqual(["4 → 6", "4"]);
  expect(await page.locator(".live-part-text").count()).toBe(0);
  await page.locator(".open-link a").nth(0).click();
  await figure(page, "4 → 6");
  expect(await page.locator(".VPDoc h1").innerText()).toContain("Playground");
  expect(rig.complaints()).toEqual([]);
});

test("without JavaScript the page has the decisions as text", async () => {
  const html = await (await fetch(new URL("how-replicas-are-calculated.html", rig.address))).text();
  expect(html.match(/Scale up from 4 to 6|Stay at 4 replicas/g)).toHaveLength(2);
});
