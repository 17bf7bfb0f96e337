// Generates random trajectories: decisions about one object, whose load, pods and spec change.
import type { Random } from "../random.ts";
import type { VectorCase } from "../vector-file.ts";
import { instant, someNow } from "./instant.ts";
import { anyMetric, defaultMetric, externalMetric, type Metric } from "./metric.ts";
import { type Options, someOptions, timingOf } from "./options.ts";
import { type Mood, podsOf, someMood } from "./pod.ts";
import { someBehavior } from "./rules.ts";
import { someSamples } from "./samples.ts";

interface Plan {
  readonly options: Options | undefined;
  readonly metrics: readonly Metric[];
  readonly minReplicas: number;
  readonly maxReplicas: number;
  readonly mood: Mood;
  /** Failures come in spells, on some objects only. */
  readonly failing: number;
}

interface Course {
  nowMs: number;
  replicas: number;
  load: number;
  metrics: readonly Metric[];
}

export function trajectoryCase(random: Random, name: string): VectorCase {
  const metrics = someMetrics(random);
  const minReplicas = random.weighted([
    [6, 1],
    [4, 0],
    [3, random.int(2, 8)],
  ]);
  const plan: Plan = {
    options: someOptions(random),
    metrics,
    minReplicas,
    maxReplicas: minReplicas + random.int(1, 30),
    mood: someMood(random),
    failing: random.weighted([
      [6, 0],
      [3, 0.1],
      [1, 0.5],
    ]),
  };
  const course: Course = { nowMs: someNow(random), replicas: firstCount(random, plan), load: 1, metrics };
  const count = random.weighted([
    [2, random.int(1, 4)],
    [5, random.int(5, 15)],
    [3, random.int(16, 40)],
  ]);
  return {
    name,
    ...(plan.options === undefined ? {} : { options: plan.options }),
    hpa: {
      apiVersion: "autoscaling/v2",
      kind: "HorizontalPodAutoscaler",
      metadata: { name: "web", namespace: "shop" },
      spec: someSpec(random, plan, metrics),
      ...someStatus(random, course),
    },
    steps: Array.from({ length: count }, (_, at) => someStep(random, plan, { course, isFirst: at === 0 })),
  };
}

function someMetrics(random: Random): readonly Metric[] {
  if (random.chance(0.03)) return [defaultMetric];
  const count = random.weighted([
    [6, 1],
    [3, 2],
    [2, 3],
  ]);
  return Array.from({ length: count }, () =>
    random.chance(0.35) ? externalMetric(random) : anyMetric(random),
  );
}

function firstCount(random: Random, plan: Plan): number {
  return random.weighted([
    [8, random.int(Math.max(1, plan.minReplicas), plan.maxReplicas)],
    [1, plan.maxReplicas + random.int(1, 5)],
    [1, Math.max(0, plan.minReplicas - 1)],
    [1, 0],
  ]);
}

function someSpec(random: Random, plan: Plan, metrics: readonly Metric[]): Readonly<Record<string, unknown>> {
  return {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
    ...(plan.minReplicas === 1 && random.chance(0.3) ? {} : { minReplicas: plan.minReplicas }),
    maxReplicas: plan.maxReplicas,
    ...(metrics[0] === defaultMetric ? {} : { metrics: metrics.map((metric) => metric.spec) }),
    ...(random.chance(0.55) ? { behavior: someBehavior(random) } : {}),
  };
}

function someStatus(random: Random, course: Course): { status?: Readonly<Record<string, unknown>> } {
  if (random.chance(0.65)) return {};
  const since = instant(course.nowMs - random.int(1, 1000) * 1000);
  const condition = (type: string, status: string, reason: string): Readonly<Record<string, string>> => ({
    type,
    status,
    reason,
    message: "as it was before",
    lastTransitionTime: since,
  });
  return {
    status: {
      currentReplicas: course.replicas,
      desiredReplicas: random.int(0, 10),
      ...(random.chance(0.5) ? { lastScaleTime: since } : {}),
      conditions: [
        condition("AbleToScale", "True", "ReadyForNewScale"),
        ...(random.chance(0.1) ? [condition("Custom", "True", "Ours")] : []),
        ...(random.chance(0.5) ? [condition("ScalingActive", "False", "FailedGetExternalMetric")] : []),
        ...(random.chance(0.5) ? [condition("ScalingLimited", "True", "TooFewReplicas")] : []),
        ...(random.chance(0.7)
          ? [condition("ScaledToZero", random.chance(0.8) ? "True" : "False", "ScaledToZero")]
          : []),
      ],
    },
  };
}

function someStep(
  random: Random,
  plan: Plan,
  { course, isFirst }: { course: Course; isFirst: boolean },
): Readonly<Record<string, unknown>> {
  if (!isFirst) advance(random, plan, course);
  const edited = isFirst || !random.chance(0.04) ? undefined : edit(random, plan, course);
  const timing = timingOf(plan.options, course.nowMs);
  const statusReplicas = random.chance(0.85) ? course.replicas : random.int(0, course.replicas + 2);
  const podCount = Math.min(40, random.chance(0.85) ? course.replicas : random.int(0, course.replicas + 3));
  const pods = podsOf(random, timing, { mood: plan.mood, count: podCount });
  return {
    at: instant(course.nowMs),
    scale: random.chance(0.03)
      ? { error: 'deployments/scale.apps "web" not found' }
      : { spec: course.replicas, status: statusReplicas },
    ...(edited === undefined ? {} : { hpa: edited }),
    pods,
    samples: course.metrics.map((metric) =>
      someSamples(random, metric, {
        timing,
        pods,
        specReplicas: course.replicas,
        statusReplicas,
        ratio: [BigInt(Math.round(course.load * 100)), 100n],
        failing: plan.failing,
      }),
    ),
  };
}

/** Time passes, the load drifts, and the target's count follows it, roughly and late. */
function advance(random: Random, plan: Plan, course: Course): void {
  course.nowMs += random.weighted([
    [12, 15_000],
    [3, 15_000 + random.int(-300, 300)],
    [2, 30_000],
    [1, 1000],
    [1, random.int(0, 400) * 1000],
    [0.3, 0],
  ]);
  const wanted = Math.ceil(course.replicas * course.load);
  if (random.chance(0.5)) {
    const free = random.chance(0.9) ? Math.min(plan.maxReplicas, Math.max(plan.minReplicas, wanted)) : wanted;
    course.replicas = Math.min(free, Math.max(4, course.replicas * 2));
  } else if (random.chance(0.06)) {
    course.replicas = firstCount(random, plan);
  }
  course.load = random.weighted([
    [4, course.load],
    [3, Math.max(0, course.load + (random.fraction() - 0.5))],
    [2, random.pick([0.9, 1, 1.1])],
    [1, random.fraction() * 3],
    [1, 0],
  ]);
}

/** An edit of the object: limits, behavior, or the metrics themselves. */
function edit(random: Random, plan: Plan, course: Course): Readonly<Record<string, unknown>> {
  if (random.chance(0.25)) course.metrics = someMetrics(random);
  const minReplicas = random.weighted([
    [2, plan.minReplicas],
    [1, 0],
    [1, random.int(1, 6)],
  ]);
  const changed: Plan = { ...plan, minReplicas, maxReplicas: minReplicas + random.int(1, 30) };
  return {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "web", namespace: "shop" },
    spec: someSpec(random, changed, course.metrics),
  };
}
