// The open loop over an HPA that another program simulated: steps come again, and each cause that is named is the one that was
// injected.
import { readAutoscaler } from "@plimsoll/simulator";
import { expect, test } from "vitest";
import { type OpenLoopReport, type RecordingCause, replayOpenLoop } from "../../src/index.ts";
import { fromMs, type Plan, periodMs, type Rules, randomOf, scrapeMs, simulate } from "./independent-hpa.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

const rules: Rules = {
  minReplicas: 3,
  maxReplicas: 40,
  targetMilli: 60_000,
  up: {
    stabilizationWindowSeconds: 0,
    policies: [
      { type: "Pods", value: 4, periodSeconds: 15 },
      { type: "Percent", value: 100, periodSeconds: 15 },
    ],
  },
  down: {
    stabilizationWindowSeconds: 180,
    policies: [{ type: "Percent", value: 20, periodSeconds: 60 }],
  },
};

function manifestOf({ minReplicas, maxReplicas, targetMilli, up, down }: Rules): unknown {
  const target = { type: "AverageValue", averageValue: `${targetMilli}m` };
  return {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { namespace: "web", name: "shop" },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "shop" },
      minReplicas,
      maxReplicas,
      metrics: [{ type: "Pods", pods: { metric: { name: "requests" }, target } }],
      behavior: { scaleUp: up, scaleDown: down },
    },
  };
}

/** Up and down within four hours, with noise that lasts some minutes. */
function usualLoad(seed: number): (atMs: number) => number {
  const random = randomOf(seed);
  const noise = Array.from({ length: 1000 }, () => 0.85 + 0.3 * random());
  return (atMs) =>
    (900 + 600 * Math.sin((atMs / (4 * hourMs)) * 2 * Math.PI)) *
    (noise[Math.floor(atMs / (2 * minuteMs)) % noise.length] ?? 1);
}

function replayed(plan: Partial<Plan>) {
  const whole: Plan = { rules, durationMs: 8 * hourMs, seed: 1, load: usualLoad(7), ...plan };
  const object = manifestOf(whole.rules);
  const { recording, moves } = simulate(whole, object);
  const read = readAutoscaler(object);
  if (!read.ok) throw new Error(JSON.stringify(read));
  const report = replayOpenLoop(recording, read.autoscaler, { periodMs, cacheAgeMs: 0, maxMismatches: 1000 });
  if (report === undefined) throw new Error("there are no decisions");
  expect(report.agreed / report.steps).toBeGreaterThanOrEqual(0.98);
  expectTwoMoves(report, moves);
  return { report, moves, of: (cause: RecordingCause) => of(report, cause) };
}

function of({ mismatches }: OpenLoopReport, cause: RecordingCause): readonly number[] {
  return mismatches.filter((one) => one.cause === cause).map(({ atMs }) => atMs - fromMs);
}

/** Wherever it is named, the count did move more than once between two scrapes. */
function expectTwoMoves(report: OpenLoopReport, moves: readonly { readonly atMs: number }[]): void {
  for (const atMs of of(report, "two-moves")) {
    const near = moves.filter((move) => Math.abs(move.atMs - atMs) <= scrapeMs);
    expect(near.length).toBeGreaterThanOrEqual(2);
  }
}

test.each([1, 2, 3])("an HPA without disturbances: no other hands, and no restart (seed %i)", (seed) => {
  const { report, moves, of: times } = replayed({ seed, load: usualLoad(seed * 11) });
  expect(moves.length).toBeGreaterThan(50);
  expect([times("controller-restart"), times("manual-scale"), times("unexplained")]).toEqual([[], [], []]);
  expect(report.leftOut).toBe(0);
});

test("a controller that starts again while the load falls is named, and no other hand", () => {
  const load = (atMs: number): number => (atMs < 2 * hourMs ? 1500 : 300);
  const restartAtMs = 2 * hourMs + minuteMs;
  const { of: times } = replayed({ load, restartAtMs });
  const found = times("controller-restart");
  expect(found.length).toBeGreaterThan(0);
  for (const atMs of found) {
    expect(atMs).toBeGreaterThanOrEqual(restartAtMs);
    expect(atMs).toBeLessThan(restartAtMs + 180_000 + minuteMs);
  }
  expect([times("manual-scale"), times("unexplained")]).toEqual([[], []]);
});

test("another client's count is named once, at its time", () => {
  const load = (): number => 900;
  // Behind a decision whose status is scraped before the next one.
  const byHand = { atMs: 3 * hourMs + 23_000, replicas: 25 };
  const { of: times } = replayed({ load, byHand });
  const found = times("manual-scale");
  expect(found.map((atMs) => Math.abs(atMs - byHand.atMs) <= scrapeMs)).toEqual([true]);
  expect([times("controller-restart"), times("unexplained")]).toEqual([[], []]);
});

test("two moves between two scrapes are named so, and are no other hand", () => {
  // The scrapes are at 3 and 33 seconds of a minute, and the decisions at 5 and 20.
  const load = (atMs: number): number => (atMs < 2 * hourMs ? 300 : 2000);
  const { of: times } = replayed({ load });
  expect(times("two-moves").length).toBeGreaterThan(0);
  expect([times("controller-restart"), times("manual-scale"), times("unexplained")]).toEqual([[], [], []]);
});

test("an outage of Prometheus leaves decisions out, and is nobody's doing", () => {
  const outage = { fromMs: 3 * hourMs, toMs: 3 * hourMs + 12 * minuteMs };
  const { report, of: times } = replayed({ outage });
  expect(report.leftOut).toBeGreaterThan(0);
  expect([times("controller-restart"), times("manual-scale"), times("unexplained")]).toEqual([[], [], []]);
});
