// What the page does not do: talk too often, stay behind, or keep anything of the cluster.
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { indexDocument, localBehavior } from "../fixtures/local.ts";
import { createWorld } from "../fixtures/world.ts";
import { useBrowser } from "./browser.ts";

const world = createWorld(30);
const rig = useBrowser(() => world);
const shop = world.histories.get("default/shop/horizontalpodautoscalers");
const newest = shop?.decisions.at(-1);
if (newest === undefined) throw new Error("no decision");

test("an object that changes each second is said at most every 10 s", async () => {
  const behavior = { ...localBehavior, index: { ...indexDocument, periodMs: 1_000 } };
  const page = await rig.open("?", { behavior, isTimeManual: true });
  let reads = 0;
  await page.route(/decisions\/v1\/namespaces\/default\/horizontalpodautoscalers\/shop\?/, (route) => {
    reads++;
    const decision = { ...newest.decision, currentReplicas: reads };
    const at = new Date(Date.parse(newest.at) + reads * 1_000).toISOString();
    return route.fulfill({ json: { items: [{ ...newest, at, decision }] } });
  });
  await page.goto(`${rig.server().origin}/console/?view=object&ns=default&hpa=shop`);
  await page.locator(".headline").waitFor();
  await page.evaluate(() => {
    const said: number[] = [];
    (globalThis as unknown as { said: number[] }).said = said;
    const region = document.querySelector("#announcements");
    if (region === null) throw new Error("no live region");
    new MutationObserver(() => said.push(Date.now())).observe(region, {
      subtree: true,
      childList: true,
      characterData: true,
    });
  });
  for (let second = 0; second < 45; second++) {
    const before = reads;
    await page.clock.runFor(1_000);
    await expect.poll(() => reads).toBeGreaterThan(before);
  }
  const said = await page.evaluate(() => (globalThis as unknown as { said: number[] }).said);
  const gaps = said.slice(1).map((atMs, index) => atMs - (said[index] ?? 0));
  expect(said.length).toBeGreaterThanOrEqual(3);
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(10_000);
});

const views = [
  ["?q=shop&sort=held", "tr.row"],
  ["?view=object&ns=default&hpa=shop", ".chart canvas"],
  ["?view=trace&ns=default&hpa=shop", ".trace .step"],
  ["?view=what-if&ns=default&hpa=shop&v0=90", ".side"],
  ["?view=shadow", ".figures"],
  ["?view=findings", ".finding"],
] as const;

test("no service worker, no cache, no database, no cookie; of storage the two settings", async () => {
  const page = await rig.open("?", { behavior: localBehavior });
  for (const [search, shown] of views) {
    await page.goto(`${rig.server().origin}/console/${search}`);
    await page.locator(shown).first().waitFor();
  }
  await page.keyboard.press("?");
  await page.locator("dialog.help input[type=checkbox]").first().click();
  expect(await keptBy(page)).toEqual({
    workers: 0,
    caches: [],
    databases: [],
    session: 0,
    cookie: "",
    local: [["plimsoll-console", ["keys", "theme"]]],
  });
  expect(await page.evaluate(() => Object.values(localStorage).join(""))).not.toMatch(
    /shop|default|queue|\d/,
  );
});

function keptBy(page: Page): Promise<object> {
  return page.evaluate(async () => ({
    workers: (await navigator.serviceWorker.getRegistrations()).length,
    caches: await caches.keys(),
    databases: await indexedDB.databases(),
    session: sessionStorage.length,
    cookie: document.cookie,
    local: Object.entries(localStorage).map(([name, text]) => [
      name,
      Object.keys(JSON.parse(String(text)) as object).toSorted(),
    ]),
  }));
}

test("what is shown follows where decisions come from", async () => {
  const recomputed = {
    ...indexDocument,
    source: "recomputed" as const,
    via: "recomputed from live data: no lease announces an autoscaler",
    parts: { ...indexDocument.parts, stream: { ok: false, reason: "read every 15 s" } as const },
  };
  const { stream: _, ...polled } = localBehavior;
  const page = await rig.open("?", { behavior: { ...polled, index: recomputed }, width: 320 });
  await page.locator("footer.source", { hasText: "recomputed from live data: no lease" }).waitFor();
  await page.locator(".connection-words", { hasText: "recomputed every 15s" }).waitFor();
  rig.server().behave(localBehavior);
  await page.locator("footer.source", { hasText: "port-forward to plimsoll-autoscaler-0" }).waitFor();
  await page.locator(".connection.live").waitFor();
  rig.server().behave({ ...polled, index: recomputed });
  await page.locator("footer.source", { hasText: "recomputed from live data" }).waitFor();
  await expect.poll(() => page.locator(".connection-words").textContent()).toBe("recomputed every 15s");
});
