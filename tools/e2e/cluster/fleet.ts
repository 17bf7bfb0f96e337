import type { KubeObject } from "@plimsoll/kube";
import type { WorkloadLoad } from "@plimsoll/sandbox";
import {
  cpu,
  cpuRequestCores,
  externalMetric,
  hpa,
  ingress,
  namespace,
  objectMetric,
  podsMetric,
  type Spec,
  workload,
} from "./fleet-objects.ts";

/** One autoscaler with its target, and the loads that move it. */
export interface Member {
  readonly name: string;
  readonly objects: readonly KubeObject[];
  readonly streams: readonly Stream[];
}

/** A load whose level is a multiple of what one replica is meant to carry. */
interface Stream {
  readonly on: Omit<WorkloadLoad, "points">;
  readonly perReplica: number;
}

/** Every move is allowed at once, so that a decision depends on its inputs alone. */
const withoutWindows = {
  scaleUp: { stabilizationWindowSeconds: 0, policies: [{ type: "Pods", value: 100, periodSeconds: 1 }] },
  scaleDown: { stabilizationWindowSeconds: 0, policies: [{ type: "Percent", value: 100, periodSeconds: 1 }] },
};

/** Every type of metric and target, limits, and what fails; "windowed" with the default and other behaviors. */
export function createFleet(memory: "windowed" | "memoryless"): readonly Member[] {
  const member = (kind: string, build: (name: string) => Omit<Member, "name">): Member => {
    const name = `${kind}-${memory}`;
    return { name, ...build(name) };
  };
  const fleet = allMembers(member);
  return memory === "windowed" ? fleet : fleet.flatMap(memoryless);
}

function memoryless(member: Member): readonly Member[] {
  const objects = member.objects.map((object) => {
    if (object.kind !== "HorizontalPodAutoscaler") return object;
    const { spec } = object as KubeObject & { spec: Spec };
    return { ...object, spec: { behavior: withoutWindows, ...spec } };
  });
  const hasBehavior = objects.some(
    (object) => (object as { spec?: Spec }).spec?.["behavior"] === withoutWindows,
  );
  return hasBehavior ? [{ ...member, objects }] : [];
}

function allMembers(
  member: (kind: string, build: (name: string) => Omit<Member, "name">) => Member,
): readonly Member[] {
  return [
    member("pods", (name) => deployed(name, { metrics: [podsMetric("100")] }, [packets(name, 100)])),
    member("pods-stateful", (name) => ({
      objects: [workload("StatefulSet", name), hpa(name, { metrics: [podsMetric("40")] }, "StatefulSet")],
      streams: [packets(name, 40, "StatefulSet")],
    })),
    member("object-value", (name) => ({
      ...deployed(name, { metrics: [objectMetric(name, { type: "Value", value: "2k" })] }, [
        requests(name, 2000, { perReadyPodOf: { namespace, kind: "Deployment", name } }),
      ]),
    })),
    member("object-average", (name) =>
      deployed(name, { metrics: [objectMetric(name, { type: "AverageValue", averageValue: "500" })] }, [
        requests(name, 500),
      ]),
    ),
    member("external-value", (name) =>
      deployed(name, { metrics: [externalMetric(name, { type: "Value", value: "30" })] }, [queue(name, 12)]),
    ),
    member("external-average", (name) =>
      deployed(name, { metrics: [externalMetric(name, { type: "AverageValue", averageValue: "30" })] }, [
        queue(name, 30),
      ]),
    ),
    member("cpu-utilization", (name) =>
      deployed(name, { metrics: [cpu({ type: "Utilization", averageUtilization: 60 })] }, [
        cores(name, 0.6 * cpuRequestCores),
      ]),
    ),
    member("cpu-average", (name) =>
      deployed(name, { metrics: [cpu({ type: "AverageValue", averageValue: "250m" })] }, [cores(name, 0.25)]),
    ),
    member("memory", (name) =>
      deployed(
        name,
        {
          metrics: [
            {
              type: "Resource",
              resource: { name: "memory", target: { type: "AverageValue", averageValue: "64Mi" } },
            },
          ],
        },
        [stream(name, "memory", 64 << 20)],
      ),
    ),
    member("container-memory", (name) =>
      deployed(
        name,
        {
          metrics: [
            {
              type: "ContainerResource",
              containerResource: {
                name: "memory",
                container: "main",
                target: { type: "Utilization", averageUtilization: 50 },
              },
            },
          ],
        },
        [stream(name, "memory", 64 << 20)],
      ),
    ),
    member("two-metrics", (name) =>
      deployed(
        name,
        {
          metrics: [podsMetric("100"), externalMetric(name, { type: "AverageValue", averageValue: "30" })],
        },
        [packets(name, 100), queue(name, 30)],
      ),
    ),
    member("policies", (name) =>
      deployed(
        name,
        {
          metrics: [podsMetric("100")],
          behavior: {
            scaleUp: {
              stabilizationWindowSeconds: 0,
              policies: [
                { type: "Pods", value: 1, periodSeconds: 3 },
                { type: "Percent", value: 50, periodSeconds: 3 },
              ],
            },
            scaleDown: {
              stabilizationWindowSeconds: 4,
              selectPolicy: "Min",
              policies: [
                { type: "Pods", value: 2, periodSeconds: 4 },
                { type: "Percent", value: 40, periodSeconds: 4 },
              ],
            },
          },
        },
        [packets(name, 100)],
      ),
    ),
    member("no-way-down", (name) =>
      deployed(
        name,
        {
          metrics: [externalMetric(name, { type: "AverageValue", averageValue: "30" })],
          behavior: { scaleDown: { selectPolicy: "Disabled" } },
        },
        [queue(name, 30)],
      ),
    ),
    member("tolerance", (name) =>
      deployed(
        name,
        {
          metrics: [podsMetric("100")],
          behavior: { scaleUp: { tolerance: "0.4" }, scaleDown: { tolerance: "0" } },
        },
        [packets(name, 100)],
      ),
    ),
    member("floor-and-ceiling", (name) =>
      deployed(name, { minReplicas: 2, maxReplicas: 4, metrics: [podsMetric("100")] }, [packets(name, 100)]),
    ),
    member("one-metric-missing", (name) =>
      deployed(name, { metrics: [podsMetric("100"), podsMetric("1", "no-such-metric")] }, [
        packets(name, 100),
      ]),
    ),
    member("metric-missing", (name) => deployed(name, { metrics: [podsMetric("1", "no-such-metric")] }, [])),
    member("external-missing", (name) =>
      deployed(name, { metrics: [externalMetric("absent", { type: "Value", value: "1" })] }, []),
    ),
    member("target-missing", (name) => ({
      objects: [hpa(name, { metrics: [podsMetric("1")] })],
      streams: [],
    })),
  ];
}

/** The loads of a fleet when each stream is at its own multiple. */
export function loadsAt(fleet: readonly Member[], level: () => number): readonly WorkloadLoad[] {
  return fleet.flatMap(({ streams }) =>
    streams.map(({ on, perReplica }) => ({
      ...on,
      points: [{ atMs: 0, value: Math.round(levelOf(on.metric, level()) * perReplica * 1000) / 1000 }],
    })),
  );
}

/**
 * A cpu is a measured rate: at a level that a whole count or the tolerance of 10 % is next to, it is now on one side
 * of it and now on the other. With this fraction it is at least 0.8 % away from all of them, up to six replicas.
 */
function levelOf(metric: string, level: number): number {
  return metric === "cpu" ? Math.floor(level) + 0.35 : level;
}

function deployed(name: string, spec: Spec, streams: readonly Stream[]): Omit<Member, "name"> {
  const hasIngress = streams.some(({ on }) => on.kind === "Ingress");
  return {
    objects: [workload("Deployment", name), ...(hasIngress ? [ingress(name)] : []), hpa(name, spec)],
    streams,
  };
}

function stream(name: string, metric: string, perReplica: number, kind = "Deployment"): Stream {
  return { on: { namespace, kind, name, metric }, perReplica };
}

function packets(name: string, perReplica: number, kind?: string): Stream {
  return stream(name, "packets", perReplica, kind);
}

function cores(name: string, perReplica: number): Stream {
  return stream(name, "cpu", perReplica);
}

function queue(name: string, perReplica: number): Stream {
  return stream(name, "queue", perReplica, "Queue");
}

function requests(name: string, perReplica: number, more: Partial<WorkloadLoad> = {}): Stream {
  return { on: { namespace, kind: "Ingress", name, metric: "requests", ...more }, perReplica };
}
