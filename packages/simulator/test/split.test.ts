// A run that is split in two is the whole.
import { expect, test } from "vitest";
import { type Autoscaler, type Load, type SyncView, simulate, type Workload } from "../src/index.ts";
import { externalMetric, hpa, scenario, startMs, workload } from "../src/testing/index.ts";

const waves: Load = { kind: "sine", mean: 1500, amplitude: 1200, periodMs: 1_500_000, peakAtMs: startMs };
const durationMs = 5_400_000;
const own = (of: Partial<Workload>) =>
  workload({
    replicas: 20,
    load: waves,
    metrics: { load: { of: "offered", query: "rate", windowMs: 60_000 } },
    autoscaler: hpa({ metrics: [externalMetric("load", "100")] }),
    ...of,
  });

function runOf(
  fromMs: number,
  untilMs: number,
  of: { readonly load: Workload; readonly firstSyncMs: number },
) {
  const syncs: SyncView[] = [];
  const { controller } = scenario({}, []);
  const run = simulate(
    scenario(
      {
        startMs: fromMs,
        durationMs: untilMs - fromMs,
        controller: { ...controller, firstSyncMs: of.firstSyncMs },
      },
      [of.load],
    ),
    { onSync: (sync) => syncs.push({ ...sync }) },
  );
  const [one] = run.workloads;
  if (one === undefined) throw new Error("there is no workload");
  return { ...one, syncs };
}

test.each([900_000, 1_800_000, 2_700_000])("split after %d ms", (splitMs) => {
  const whole = runOf(startMs, startMs + durationMs, { load: own({}), firstSyncMs: 5000 });
  const before = runOf(startMs, startMs + splitMs, { load: own({}), firstSyncMs: 5000 });
  const next = whole.syncs[before.syncs.length];
  if (next === undefined) throw new Error("the whole has no sync after the split");
  const { hpa: object } = next.input;
  const autoscaler: Autoscaler = {
    ...hpa({}),
    hpa: object,
    ...(next.memory === undefined ? {} : { memory: next.memory }),
  };
  const replicas = before.changes.at(-1)?.to ?? 20;
  const behind = runOf(startMs + splitMs, startMs + durationMs, {
    load: own({ replicas, autoscaler }),
    firstSyncMs: next.atMs - startMs - splitMs,
  });
  const decisions = (syncs: readonly SyncView[]) =>
    syncs.map(({ atMs, result }) => [atMs, result.decision.desiredReplicas, result.decision.scaleTo]);
  expect(whole.changes.length).toBeGreaterThan(10);
  expect(decisions([...before.syncs, ...behind.syncs])).toEqual(decisions(whole.syncs));
  expect([...before.changes, ...behind.changes]).toEqual(whole.changes);
  for (const score of ["offered", "served", "podHours", "idealPodHours", "shortPodSeconds"] as const)
    expect(before.scores[score] + behind.scores[score]).toBeCloseTo(whole.scores[score], 4);
});
