// How often replicas are written that another client keeps changing back.
import { manualClock } from "@plimsoll/component-base/testing";
import { hourMs } from "@plimsoll/core/internal/values";
import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Contest, LastScale } from "../../../src/reconcile/conflicts/conflict.ts";
import { contestNow, nextWriteMs, scaleConflict } from "../../../src/reconcile/conflicts/foreign-writer.ts";
import type { FakeApi } from "../../fake-api.ts";
import { hpa, rig, wanting, within, workload } from "../../harness.ts";
import { setUp } from "../workload-autoscalers.ts";

const periodMs = 15_000;
const startMs = Date.parse("2030-01-01T00:00:00Z");

const replicas = (api: FakeApi) =>
  (api.get("deployments", "default", "shop").spec as { readonly replicas: number }).replicas;

/** Sets the replicas as another client would. */
function scaleBy(api: FakeApi, manager: string, to: number): void {
  const known = api.get("deployments", "default", "shop");
  const entry = { manager, operation: "Update", time: "2030-01-01T00:00:00Z" };
  const fieldsV1 = { "f:spec": { "f:replicas": {} } };
  const metadata = { ...known.metadata, managedFields: [{ ...entry, fieldsV1 }] };
  api.put("deployments", { ...known, metadata, spec: { ...(known.spec as object), replicas: to } });
}

/** One HPA from 2 to 10, whose metrics call for this number of replicas. */
async function world(wanted: number) {
  let want = wanted;
  const clock = manualClock(startMs);
  const process = await rig({
    clock,
    config: { syncPeriodMs: periodMs },
    // As core has it: outside of the limits, the limit is the result.
    decide: wanting(({ scale }) => Math.min(scale.ok && scale.specReplicas > 10 ? 10 : want, 10)),
    before(api) {
      workload(api, "shop");
      api.put("horizontalpodautoscalers", hpa("shop", { spec: { minReplicas: 2, maxReplicas: 10 } }));
    },
  });
  const { api, autoscaler } = process;
  await within(clock, periodMs, () => expect(replicas(api)).toBe(wanted));
  const last = () => autoscaler.decisions.of("default", "shop").at(-1);
  const waitsMs = () => Date.parse(last()?.otherWriter?.retryAt ?? "") - clock.nowMs();
  return {
    ...process,
    clock,
    call: (count: number) => void (want = count),
    last,
    /** A client undoes each write until the next one waits for minutes. Returns when it undid the last one. */
    async fight(): Promise<number> {
      let atMs = 0;
      for (let n = 0; n < 60 && !(waitsMs() > 200_000); n++) {
        if (replicas(api) === want) {
          scaleBy(api, "argocd-controller", 3);
          atMs = clock.nowMs();
        }
        await clock.advance(periodMs);
      }
      expect(replicas(api)).toBe(3);
      return atMs;
    },
  };
}

test("replicas above the maximum go to the maximum at the next evaluation, however often that is undone", async () => {
  const { api, clock, fight } = await world(5);
  await fight();
  for (let n = 0; n < 10; n++) {
    scaleBy(api, "argocd-controller", 20);
    await within(clock, periodMs, () => expect(replicas(api)).toBeLessThanOrEqual(10));
    await clock.advance(2000);
  }
});

test("a need for more than was ever undone waits a minute at most, and the same number waits for its turn", async () => {
  const { api, clock, fight, call } = await world(5);
  await fight();
  await clock.advance(90_000);
  expect(replicas(api)).toBe(3);
  call(8);
  expect(await within(clock, 60_000 + periodMs, () => expect(replicas(api)).toBe(8))).toBeLessThan(
    60_000 + periodMs,
  );
  // That is undone, and 6 was less than 8: it waits.
  scaleBy(api, "argocd-controller", 3);
  call(6);
  await clock.advance(120_000);
  expect(replicas(api)).toBe(3);
});

test("who undid a write last, and that it has stopped as soon as a write lasts", async () => {
  const { clock, fight, last } = await world(5);
  const undoneMs = await fight();
  const other = last()?.otherWriter;
  const lateMs = Date.parse(other?.lastAt ?? "") - undoneMs;
  expect(lateMs).toBeGreaterThanOrEqual(0);
  expect(lateMs).toBeLessThanOrEqual(periodMs);
  while (last()?.applied !== "scaled") await clock.advance(periodMs);
  expect(clock.nowMs() - undoneMs).toBeLessThanOrEqual(300_000 + 2 * periodMs);
  expect(last()?.otherWriter).toMatchObject({ lastAt: other?.lastAt });
  await clock.advance(60_000 + 2 * periodMs);
  expect(last()?.otherWriter).toBeUndefined();
});

test("an object whose own period is longer than the process's counts undone writes", async () => {
  const clock = manualClock(startMs);
  const { api, autoscaler } = await setUp({ tuning: { syncPeriodSeconds: 600 } }, "20", clock);
  await clock.advance(600_000);
  for (let n = 0; n < 4; n++) {
    expect(replicas(api)).toBe(6);
    scaleBy(api, "argocd-controller", 3);
    await clock.advance(600_000);
  }
  const last = autoscaler.decisions.of("default", "shop", "workloadautoscalers").at(-1);
  expect(last?.otherWriter).toMatchObject({ by: "argocd-controller", count: 4 });
});

/** A write a minute, and those before the waits are as long. */
const maxUndonePerHour = 75;

test("whatever another client and the metrics do, an object's writes that it undoes are few in each hour", () => {
  assertProperty(
    fc.property(
      fc.constantFrom(1000, 5000, 15_000, 60_000),
      fc.infiniteStream(fc.integer({ min: 2, max: 1000 })),
      // How long each of our writes stays.
      fc.infiniteStream(fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 120_000 }))),
      fc.infiniteStream(fc.integer({ min: 2, max: 1000 })),
      (period, wants, stays, theirs) => {
        const next = <T>(stream: Iterator<T>): T => stream.next().value as T;
        let replicas = next(theirs);
        let undoneAtMs = Number.POSITIVE_INFINITY;
        let known: { contest: Contest | undefined; lastScale: LastScale | undefined } = {
          contest: undefined,
          lastScale: undefined,
        };
        const undone: number[] = [];
        for (let nowMs = 0; nowMs < 3 * hourMs; nowMs += period) {
          if (nowMs >= undoneAtMs) {
            undone.push(undoneAtMs);
            undoneAtMs = Number.POSITIVE_INFINITY;
            replicas = next(theirs);
          }
          const read = { found: replicas, writer: { manager: "argocd-controller", at: undefined }, nowMs };
          const { contest, lastScale } = scaleConflict({ ...none, ...known }, read, { periodMs: period });
          known = { contest, lastScale };
          const want = next(wants);
          if (want === replicas) continue;
          if (contest !== undefined && nowMs < nextWriteMs(contest, { from: replicas, to: want })) continue;
          replicas = want;
          known = { contest, lastScale: { replicas, atMs: nowMs } };
          undoneAtMs = nowMs + next(stays);
        }
        for (const fromMs of undone) {
          const within = undone.filter((atMs) => atMs >= fromMs && atMs < fromMs + hourMs);
          expect(within.length).toBeLessThanOrEqual(maxUndonePerHour);
        }
      },
    ),
  );
});

const none = { yielded: undefined, suspect: undefined, contest: undefined, lastScale: undefined };

test("a client that comes back within minutes goes on where it stopped", () => {
  const undo = (contest: Contest | undefined, nowMs: number) =>
    scaleConflict(
      { ...none, contest, lastScale: { replicas: 5, atMs: nowMs - 1000 } },
      { found: 3, writer: { manager: "helm", at: undefined }, nowMs },
      { periodMs },
    ).contest;
  const first = undo(undo(undefined, startMs), startMs + 60_000);
  const quietMs = first?.quietMs ?? 0;
  expect(contestNow(first, quietMs - 1)).toBe(first);
  expect(contestNow(first, quietMs)).toBeUndefined();
  expect(undo(first, quietMs + 60_000)).toMatchObject({ count: 3, sinceMs: startMs });
  expect(undo(first, quietMs + 3_600_000)).toMatchObject({ count: 1 });
});
