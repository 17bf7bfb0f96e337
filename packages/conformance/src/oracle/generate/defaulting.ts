// Generates random objects to be completed with defaults.
import type { Random } from "../random.ts";
import type { Release } from "../release.ts";
import type { VectorCase } from "../vector-file.ts";
import { someBeta } from "./conversion.ts";
import { type Json, someHpa, someMetadata } from "./hpa.ts";

export function defaultingCase(random: Random, name: string, release: Release): VectorCase {
  if (release !== "1.37" && random.chance(0.5)) return { name, from: someBeta(random) };
  if (random.chance(0.15)) return { name, from: someV1(random) };
  const from = someHpa(random);
  const spec = from["spec"] as Json;
  const behavior = spec["behavior"] as Json | undefined;
  if (behavior !== undefined && random.chance(0.2)) {
    const side = random.pick(["scaleUp", "scaleDown"]);
    behavior[side] = random.pick<Json>([
      {},
      { policies: [] },
      { selectPolicy: "Min" },
      { stabilizationWindowSeconds: 7 },
    ]);
  }
  return { name, from };
}

function someV1(random: Random): Json {
  return {
    apiVersion: "autoscaling/v1",
    kind: "HorizontalPodAutoscaler",
    metadata: someMetadata(random),
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
      ...(random.chance(0.5) ? { minReplicas: random.int(0, 3) } : {}),
      maxReplicas: random.int(3, 9),
      ...(random.chance(0.5) ? { targetCPUUtilizationPercentage: random.int(1, 100) } : {}),
    },
  };
}
