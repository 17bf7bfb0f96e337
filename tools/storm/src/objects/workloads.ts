// Draws the workloads that objects scale.
import type { Random } from "../random/random.ts";
import type { SetupObject } from "../scenario/scenario.ts";

/** What an object scales. */
export interface Workload {
  readonly kind: "Deployment" | "StatefulSet";
  readonly namespace: string;
  readonly name: string;
}

/** The first label is of the workload alone; others may be of several. */
export function workloadObject(
  { kind, namespace, name }: Workload,
  {
    replicas,
    labels = { app: name },
    selector = { app: name },
    ports = [],
  }: {
    readonly replicas: number;
    /** Of the first container. */
    readonly ports?: readonly object[];
    readonly labels?: Readonly<Record<string, string>>;
    readonly selector?: Readonly<Record<string, string>>;
  },
): SetupObject {
  const container = (of: string, cpu: string) => ({
    name: of,
    image: `registry.example/${of}:1`,
    resources: { requests: { cpu, memory: "256Mi" } },
  });
  return {
    apiVersion: "apps/v1",
    kind,
    metadata: { name, namespace },
    spec: {
      replicas,
      ...(kind === "StatefulSet" ? { serviceName: name } : {}),
      selector: { matchLabels: selector },
      template: {
        metadata: { labels },
        spec: {
          containers: [
            { ...container("main", "1"), ...(ports.length > 0 ? { ports } : {}) },
            container("side", "100m"),
          ],
        },
      },
    },
  };
}

export function drawWorkload(random: Random, namespace: string, name: string): Workload {
  return { kind: random.chance(0.75) ? "Deployment" : "StatefulSet", namespace, name };
}

export function targetRef({ kind, name }: Workload): {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
} {
  return { apiVersion: "apps/v1", kind, name };
}
