import { expect, test } from "vitest";
import { type HpaStatus, type RecoverInput, recoverMemory } from "../src/index.ts";
import { hpaOf, nowMs } from "./fixtures.ts";

const condition = {
  type: "AbleToScale",
  status: "True",
  lastTransitionTime: "2026-01-01T11:00:00Z",
  reason: "SucceededRescale",
  message: "",
} as const;

/** It was scaled from 2 to 4 this number of seconds ago. */
const scaled = (secondsAgo: number, more: Partial<HpaStatus> = {}): HpaStatus => ({
  lastScaleTime: new Date(nowMs - secondsAgo * 1000).toISOString(),
  currentReplicas: 2,
  desiredReplicas: 4,
  currentMetrics: null,
  conditions: [condition],
  ...more,
});
const policy = (periodSeconds: number) => ({ type: "Pods", value: 4, periodSeconds }) as const;
const behavior = { scaleUp: { policies: [policy(60)] }, scaleDown: { policies: [policy(120), policy(30)] } };
const recovered = (status: HpaStatus | undefined, more: Partial<RecoverInput> = {}, spec: object = {}) =>
  recoverMemory({
    hpa: { ...hpaOf(spec), status },
    replicas: 4,
    writtenAtMs: undefined,
    nowMs,
    ...more,
  });
const events = (up: readonly object[], down: readonly object[]) => ({
  recommendations: [],
  scaleUpEvents: up,
  scaleDownEvents: down,
});

test("the last scale that the status names is a change, up or down", () => {
  const atMs = nowMs - 30_000;
  expect(recovered(scaled(30))).toEqual(events([{ change: 2, atMs }], []));
  const down = scaled(30, { currentReplicas: 9 });
  expect(recovered(down)).toEqual(events([], [{ change: 5, atMs }]));
  // The clock of the other process was ahead.
  expect(recovered(scaled(-30))).toEqual(events([{ change: 2, atMs: nowMs }], []));
});

test("nothing is known of an object without conditions, that was never scaled, or whose last evaluation changed nothing", () => {
  expect(recovered(undefined)).toBeUndefined();
  expect(recovered(scaled(30, { conditions: [] }))).toBeUndefined();
  expect(recovered({ ...scaled(30), conditions: undefined } as object as HpaStatus)).toBeUndefined();
  expect(recovered(scaled(30, { lastScaleTime: undefined } as object))).toBeUndefined();
  expect(recovered(scaled(30, { currentReplicas: 4 }))).toBeUndefined();
});

test("replicas that the status does not know are a change of the write, or of this moment", () => {
  const of = (writtenSecondsAgo: number | undefined, replicas = 7) =>
    recovered(scaled(30), {
      replicas,
      writtenAtMs: writtenSecondsAgo === undefined ? undefined : nowMs - writtenSecondsAgo * 1000,
    });
  expect(of(undefined)).toEqual(events([{ change: 3, atMs: nowMs }], []));
  // Times of the API are cut to seconds.
  expect(of(10)).toEqual(events([{ change: 3, atMs: nowMs - 9000 }], []));
  expect(of(0)).toEqual(events([{ change: 3, atMs: nowMs }], []));
  // The status was written after that write.
  expect(of(30)).toEqual(events([{ change: 3, atMs: nowMs }], []));
  expect(of(40)).toEqual(events([{ change: 3, atMs: nowMs }], []));
  expect(of(10, 1)).toEqual(events([], [{ change: 3, atMs: nowMs - 9000 }]));
  const never = { ...scaled(30), lastScaleTime: undefined } as object as HpaStatus;
  expect(recovered(never, { replicas: 7, writtenAtMs: nowMs - 10_000 })).toEqual(
    events([{ change: 3, atMs: nowMs - 9000 }], []),
  );
});

test("with policies, what was changed before is unknown for as long as the longest of them counts", () => {
  const unknown = (secondsAgo: number, writtenAtMs?: number, spec: object = { behavior }) =>
    recovered(scaled(secondsAgo, { currentReplicas: 4 }), { writtenAtMs }, spec);
  const lastScaleMs = nowMs - 29_000;
  const history = { lastScaleMs, untilMs: lastScaleMs + 120_000 };
  expect(unknown(30)).toEqual({ ...events([], []), unknownHistory: history });
  // The later of what the status and the write say.
  expect(unknown(50, nowMs - 30_000)?.unknownHistory).toEqual(history);
  expect(unknown(30, nowMs - 50_000)?.unknownHistory).toEqual(history);
  expect(unknown(0)?.unknownHistory?.lastScaleMs).toBe(nowMs);
  expect(unknown(120)?.unknownHistory).toBeDefined();
  expect(unknown(122)).toBeUndefined();
  expect(unknown(30, undefined, {})).toBeUndefined();
  expect(recovered(undefined, { writtenAtMs: nowMs - 30_000 }, { behavior })).toMatchObject({
    unknownHistory: history,
  });
  expect(recovered(undefined, {}, { behavior })).toBeUndefined();
});
