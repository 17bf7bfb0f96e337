// Generates random autoscaling/v2 objects.
import type { Random } from "../random.ts";
import { someMetric } from "./metric.ts";
import { someBehavior } from "./rules.ts";

export type Json = { [member: string]: unknown };

/** A plain autoscaling/v2 object: complete or with members left to the defaults. */
export function someHpa(random: Random): Json {
  const minReplicas = random.weighted([
    [5, 1],
    [2, random.int(2, 6)],
    [2, 0],
  ]);
  const metrics = Array.from({ length: random.int(1, 4) }, () => structuredClone(someMetric(random).spec));
  return {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: someMetadata(random),
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
      ...(random.chance(0.8) ? { minReplicas } : {}),
      maxReplicas: minReplicas + random.int(1, 20),
      ...(random.chance(0.85) ? { metrics } : random.chance(0.5) ? { metrics: [] } : {}),
      ...(random.chance(0.6) ? { behavior: someBehavior(random) } : {}),
    },
  };
}

export function someMetadata(random: Random): Json {
  return {
    name: "web",
    namespace: "shop",
    ...(random.chance(0.2) ? { labels: { app: "web" } } : {}),
    ...(random.chance(0.2) ? { annotations: { "example.com/owner": "team-a" } } : {}),
  };
}
