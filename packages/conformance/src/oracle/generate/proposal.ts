// Generates random cases of what one metric proposes.
import type { Random } from "../random.ts";
import type { VectorCase } from "../vector-file.ts";
import { instant, someNow } from "./instant.ts";
import { anyMetric } from "./metric.ts";
import { someOptions, timingOf } from "./options.ts";
import { someMood, somePods } from "./pod.ts";
import { someSamples } from "./samples.ts";

export function proposalCase(random: Random, name: string): VectorCase {
  const options = someOptions(random);
  const timing = timingOf(options, someNow(random));
  const metric = anyMetric(random);
  const pods = somePods(random, timing, someMood(random));
  const replicas = someReplicas(random, pods.length);
  return {
    name,
    now: instant(timing.nowMs),
    ...(options === undefined ? {} : { options }),
    replicas,
    metric: metric.spec,
    ...someTolerance(random),
    pods,
    samples: someSamples(random, metric, {
      timing,
      pods,
      specReplicas: replicas.spec,
      statusReplicas: replicas.status,
      failing: 0.03,
    }),
  };
}

function someReplicas(random: Random, pods: number): { spec: number; status: number } {
  const spec = random.weighted([
    [70, pods],
    [20, Math.max(0, pods + random.int(-3, 3))],
    [5, 0],
    [3, random.int(100, 5000)],
    [1, 2_147_483_647],
  ]);
  const status = random.weighted([
    [80, spec],
    [15, pods],
    [4, 0],
    [2, random.int(1, 5000)],
  ]);
  return { spec, status };
}

function someTolerance(random: Random): { tolerance?: { scaleUp?: string; scaleDown?: string } } {
  if (random.chance(0.7)) return {};
  const texts = ["0", "0.05", "50m", "0.1", "100m", "200m", "0.5", "1", "1500m", "1n", "0.333"] as const;
  return {
    tolerance: {
      ...(random.chance(0.7) ? { scaleUp: random.pick(texts) } : {}),
      ...(random.chance(0.7) ? { scaleDown: random.pick(texts) } : {}),
    },
  };
}
