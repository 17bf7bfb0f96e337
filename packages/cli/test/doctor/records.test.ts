import type { Decision } from "@plimsoll/core";
import type { SummaryRow } from "@plimsoll/decisions";
import { readAutoscaler } from "@plimsoll/doctor";
import { expect, test } from "vitest";
import { createRecords } from "../../src/commands/doctor/gather/records.ts";
import type { Explained, RecordedSource } from "../../src/decisions/source.ts";

const object = readAutoscaler({
  kind: "HorizontalPodAutoscaler",
  metadata: { name: "shop", namespace: "web" },
  spec: { scaleTargetRef: { kind: "Deployment", name: "shop" } },
});
if (object === undefined) throw new Error("no autoscaler");
const shop = object;

/** So many decisions, a quarter of a minute apart; each has its number as its replicas. */
function sourceOf(count: number): RecordedSource {
  const explained = (back: number): Promise<Explained> => {
    if (back >= count) return Promise.reject(new Error(`${count} decisions are kept`));
    const at = new Date(Date.parse("2026-11-22T10:00:00Z") - back * 15_000).toISOString();
    const decision = { currentReplicas: count - back, desiredReplicas: 1, trace: [] } as object as Decision;
    return Promise.resolve({
      source: "recorded",
      at,
      object: {
        resource: "horizontalpodautoscalers",
        namespace: "web",
        name: "shop",
        uid: "",
        target: shop.target,
      },
      decision,
      assumptions: [],
      notes: [],
    });
  };
  return {
    kind: "recorded",
    newest: () => explained(0),
    at: () => explained(0),
    back: (_, back) => explained(back),
    last: async (_, last) => {
      if (count === 0) throw new Error("no decisions are kept");
      const kept = Array.from({ length: Math.min(count, last) }, (_, back) => explained(back));
      return (await Promise.all(kept)).toReversed();
    },
    rows: () => Promise.resolve([]),
  };
}

test("the newest decision of all, with the period by which its object is decided", async () => {
  const row = (name: string, at: string) => ({ name, at }) as SummaryRow;
  const items = [row("idle", "2026-11-22T09:00:00Z"), row("shop", "2026-11-22T10:00:00Z")];
  const asked: string[] = [];
  const source: RecordedSource = {
    ...sourceOf(2),
    rows: () => Promise.resolve(items),
    back: async ({ name }, count) => {
      asked.push(name);
      return { ...(await sourceOf(2).back(shop as never, count)), at: "2026-11-22T09:58:00Z" };
    },
  };
  const atMs = Date.parse("2026-11-22T10:00:00Z");
  expect(await createRecords(source).newestOfAll()).toEqual({ atMs, periodMs: 120_000 });
  expect(asked).toEqual(["shop"]);
  // With a single decision the period is unknown.
  const back = () => Promise.reject(new Error("one decision is kept"));
  expect(await createRecords({ ...source, back }).newestOfAll()).toBeUndefined();
});

test("the recorded decisions of an object, oldest first, as many as are kept", async () => {
  const records = createRecords(sourceOf(3));
  const history = await records.history(shop);
  expect(history).toMatchObject({ ok: true, value: [{ current: 1 }, { current: 2 }, { current: 3 }] });
  expect(await records.newest(shop)).toMatchObject({ ok: true, value: { currentReplicas: 3 } });
  // An hour, which PL-039 needs, in one request.
  const many = await createRecords(sourceOf(1000)).history(shop);
  expect(many.ok && many.value.length).toBe(250);
});

test("without records the history is unknown, with the reason", async () => {
  expect(await createRecords(undefined).history(shop)).toEqual({
    ok: false,
    reason: "no recorded decisions",
  });
  expect(await createRecords(sourceOf(0)).history(shop)).toEqual({
    ok: false,
    reason: "no recorded decisions",
  });
  expect(await createRecords(undefined).newestOfAll()).toBeUndefined();
});

test("of many objects 5,000 decisions are read, and the reason names the command for the others", async () => {
  let read = 0;
  const source = sourceOf(1_000);
  const records = createRecords({
    ...source,
    last(object, count) {
      read += count;
      return source.last(object, count);
    },
  });
  for (let index = 0; index < 20; index++) expect(await records.history(shop)).toMatchObject({ ok: true });
  expect(await records.history(shop)).toEqual({
    ok: false,
    reason:
      "only 5,000 recorded decisions are read: for more, name the object, for example plimsoll doctor hpa/NAME -n NAMESPACE",
  });
  expect(read).toBe(5_000);
});
