import { expect, test } from "vitest";
import { indexDocument } from "../fixtures/local.ts";
import { createWorld } from "../fixtures/world.ts";
import { texts, useBrowser, violationsOf } from "./browser.ts";

const rig = useBrowser(() => createWorld(0));

test("while it is read there is a skeleton, and nothing before that", async () => {
  const page = await rig.open("?", { behavior: { stream: () => [], delayMs: 1_200 } });
  const skeleton = page.locator(".skeleton:not(.waiting)");
  await skeleton.waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await page.locator("tr.row").first().waitFor();
  expect(await skeleton.count()).toBe(0);
});

test("an empty namespace says so, and a filter that leaves nothing offers all", async () => {
  const page = await rig.open("?ns=none");
  await page.locator(".empty-title").waitFor();
  expect(await texts(page, ".empty-title")).toEqual([
    "No HorizontalPodAutoscaler or WorkloadAutoscaler in none yet",
  ]);
  const filtered = await rig.open("?q=zzz&problems=1");
  await filtered.getByRole("button", { name: "Show all" }).click();
  await filtered.locator("tr.row").first().waitFor();
  expect(filtered.url()).not.toContain("zzz");
});

test("without a token it asks for one, keeps it in memory and goes on", async () => {
  const page = await rig.open("?", { behavior: { stream: () => [], token: "let-me-in" } });
  await page.getByLabel("Token of a user or service account").fill("let-me-in");
  expect(await violationsOf(page)).toEqual([]);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.locator("tr.row").first().waitFor();
  const kept = await page.evaluate(
    () => JSON.stringify(Object.entries(localStorage)) + document.cookie + location.href,
  );
  expect(kept).not.toContain("let-me-in");
  expect(rig.server().requests.some((request) => request.includes("let-me-in"))).toBe(false);
});

test("the one-time code is exchanged, and is out of the address before anything is read", async () => {
  const page = await rig.open("?", { behavior: { stream: () => [], code: "c0de" }, hash: "#code=c0de" });
  await page.locator("tr.row").first().waitFor();
  expect(page.url()).not.toContain("c0de");
  expect(rig.server().requests.some((request) => request.includes("c0de"))).toBe(false);
});

test("a code that was used says how to open the console again", async () => {
  const page = await rig.open("?", { behavior: { stream: () => [], code: "c0de" }, hash: "#code=other" });
  await page.locator(".error-panel").waitFor();
  expect(await page.locator(".error-panel").innerText()).toContain("Open it again: kubectl plimsoll console");
});

const failures = [
  [
    403,
    'User "dev" cannot list resource "horizontalpodautoscalers"',
    "Choose a namespace that you may list.",
  ],
  [503, "the holder of the lease plimsoll-autoscaler-0 cannot be reached", "cannot be reached"],
  [500, "the request failed; see the log", "could not be read"],
] as const;

test.each(failures)("%i stays in its panel, in the server's words", async (code, message, hint) => {
  const fail = { "/apis/decisions/v1/summary": { code, message } };
  const page = await rig.open("?", { behavior: { stream: () => [], fail } });
  await page.locator(".error-panel").waitFor();
  const text = await page.locator(".error-panel").innerText();
  expect(text).toContain(message);
  expect(text).toContain(hint);
  expect(await violationsOf(page)).toEqual([]);
  // The other pages still work.
  await page.getByRole("link", { name: "Shadow" }).click();
  await page.locator(".figures").waitFor();
});

test("who may not list all chooses a namespace", async () => {
  const fail = { "/apis/decisions/v1/summary": { code: 403, message: "no" } };
  const page = await rig.open("?", { behavior: { stream: () => [], fail } });
  await page.getByLabel("Namespace", { exact: true }).last().fill("web");
  rig.server().behave({ stream: () => [] });
  await page.getByRole("button", { name: "Show" }).click();
  await page.locator("tr.row").first().waitFor();
  expect(page.url()).toContain("ns=web");
});

test("an object without a decision, and one that is not there, say so", async () => {
  const page = await rig.open("?view=object&ns=web&hpa=gone");
  await page.locator(".error-panel").waitFor();
  expect(await page.locator(".error-panel").innerText()).toContain(
    'HorizontalPodAutoscaler "gone" not found in namespace web',
  );
});

test("an object that is deleted keeps its last decision", async () => {
  const index = { ...indexDocument, periodMs: 500 };
  const page = await rig.open("?view=trace&ns=default&hpa=shop", { behavior: { stream: () => [], index } });
  await page.locator(".trace .step").first().waitFor();
  const message = 'horizontalpodautoscalers "shop" was deleted at 10:00:05';
  rig
    .server()
    .behave({ stream: () => [], fail: { "/apis/decisions/v1/namespaces": { code: 404, message } } });
  await page.locator(".error-panel").waitFor();
  expect(await page.locator(".error-panel").innerText()).toContain(message);
  expect(await page.locator(".trace .step").count()).toBeGreaterThan(4);
});

test("a stream that is lost is said, and polled for", async () => {
  let isOver = false;
  const page = await rig.open("?", { behavior: { stream: () => (isOver ? "end" : []) } });
  await page.locator(".connection.live").waitFor();
  isOver = true;
  await page.locator(".connection.polling").waitFor();
  expect(await page.locator(".connection").innerText()).toBe("polling every 15s");
});

test("without kept inputs what-if says which flag keeps them, and the trace is there", async () => {
  const fail = {
    "/apis/decisions/v1/namespaces/default/horizontalpodautoscalers/shop/record": {
      code: 404,
      message: "inputs aren't kept: --decision-inputs is none",
    },
  };
  const page = await rig.open("?view=what-if&ns=default&hpa=shop", { behavior: { stream: () => [], fail } });
  await page.locator(".empty").waitFor();
  expect(await page.locator(".empty").innerText()).toContain("--decision-inputs is none");
  await page.locator(".empty").getByRole("link", { name: "Trace" }).click();
  await page.locator(".trace .step").first().waitFor();
});

test("a part that the server does not have says why in its place", async () => {
  const reason = "no autoscaler of Plimsoll runs in this cluster";
  const index = {
    ...indexDocument,
    parts: { ...indexDocument.parts, shadow: { ok: false as const, reason } },
  };
  const page = await rig.open("?view=shadow", { behavior: { stream: () => [], index } });
  await page.locator(".empty").waitFor();
  expect(await texts(page, ".empty-title")).toEqual([reason]);
});

test("old data are grayed with their time, and stay", async () => {
  const page = await rig.open("?", { behavior: {} });
  await page.locator("tr.row").first().waitFor();
  await page.clock.setFixedTime(new Date("2026-11-22T10:05:00Z"));
  await page.locator(".as-of").waitFor();
  expect(await page.locator(".as-of").innerText()).toMatch(/^as of 10:00:0\d$/);
  expect(await page.locator(".old tr.row").count()).toBeGreaterThan(3);
});
