import type { Autoscaler } from "@plimsoll/autoscaler";
import type { KubeObject } from "@plimsoll/kube";
import type { WorkloadLoad } from "@plimsoll/sandbox";
import type { ClusterStack } from "@plimsoll/testbed";
import { depthFor, followsPods, followsQueue, queue, replicationController, workload } from "./targets.ts";

/** A namespace with one object of every kind that an autoscaler manages, all of which want two replicas. */
export interface Track {
  readonly namespace: string;
  /** Back to one replica, with nothing in any status. */
  reset(): Promise<void>;
  /**
   * The probes that have not succeeded since the reset. A count that was scaled is changed again, in the name of the
   * built-in controller.
   */
  failing(autoscaler: Autoscaler): Promise<readonly string[]>;
}

interface Target {
  readonly title: string;
  readonly name: string;
  /** Below the namespace. */
  readonly path: readonly [prefix: string, resource: string];
  readonly field: "replicas" | "size";
  readonly metric: "packets" | "memory" | "queue";
  /** Its kind is one whose objects say who scaled them. */
  readonly isBuiltIn: boolean;
}

const apps = "/apis/apps/v1";
const disputeEveryMs = 2_000;

export const trackTargets: readonly Target[] = [
  target("a Deployment", "deployed", { path: [apps, "deployments"], metric: "packets" }),
  target("a StatefulSet", "stateful", { path: [apps, "statefulsets"], metric: "memory" }),
  target("a ReplicaSet", "bare", { path: [apps, "replicasets"], metric: "queue" }),
  target("a ReplicationController", "old", { path: ["/api/v1", "replicationcontrollers"], metric: "queue" }),
  {
    ...target("a custom kind", "fleet", { path: ["/apis/e2e.example/v1", "fleets"], metric: "queue" }),
    field: "size",
    isBuiltIn: false,
  },
  {
    ...target("the target of a WorkloadAutoscaler", "own", { path: [apps, "deployments"], metric: "queue" }),
    isBuiltIn: false,
  },
];

function target(title: string, name: string, options: Pick<Target, "path" | "metric">): Target {
  return { title, name, ...options, field: "replicas", isBuiltIn: true };
}

export function trackLoads(namespace: string): readonly WorkloadLoad[] {
  const loads = trackTargets.map(({ name, metric }): WorkloadLoad => {
    const load = { ...queue(name, depthFor(2)), namespace };
    if (metric === "packets") return { ...load, kind: "Deployment", metric };
    return metric === "memory"
      ? { ...load, kind: "StatefulSet", metric, points: [{ atMs: 0, value: 120 << 20 }] }
      : load;
  });
  return loads;
}

const hpas = ["deployed", "stateful", "bare", "old", "fleet", "broken"];

export function trackObjects(namespace: string): string {
  const fleet = (name: string) =>
    `---\napiVersion: e2e.example/v1\nkind: Fleet\nmetadata: { name: ${name}, namespace: default }\nspec: { size: 1 }\n`;
  const text = [
    workload("Deployment", "deployed"),
    workload("StatefulSet", "stateful"),
    workload("ReplicaSet", "bare"),
    replicationController("old"),
    fleet("fleet"),
    fleet("broken"),
    workload("Deployment", "own"),
    followsPods("deployed", { apiVersion: "apps/v1", kind: "Deployment" }),
    memoryOf("stateful"),
    followsQueue("bare", { apiVersion: "apps/v1", kind: "ReplicaSet" }),
    followsQueue("old", { apiVersion: "v1", kind: "ReplicationController" }),
    followsQueue("fleet", { apiVersion: "e2e.example/v1", kind: "Fleet" }),
    // There is no such queue.
    followsQueue("broken", { apiVersion: "e2e.example/v1", kind: "Fleet" }),
    followsQueue("own", { apiVersion: "apps/v1", kind: "Deployment" })
      .replace("autoscaling/v2", "autoscaling.plimsoll.dev/v1alpha1")
      .replace("HorizontalPodAutoscaler", "WorkloadAutoscaler"),
  ].join("");
  const ownNamespace = `apiVersion: v1\nkind: Namespace\nmetadata: { name: ${namespace} }\n`;
  return ownNamespace + text.replaceAll("namespace: default", `namespace: ${namespace}`);
}

function memoryOf(name: string): string {
  return followsPods(name, { apiVersion: "apps/v1", kind: "StatefulSet" }).replace(
    /- type: Pods\n[^]*?averageValue: "\d+" }\n/,
    `- type: Resource
      resource: { name: memory, target: { type: AverageValue, averageValue: 64Mi } }
`,
  );
}

export function createTrack(stack: ClusterStack, namespace: string): Track {
  const { client } = stack;
  const pathOf = ({ path: [prefix, resource], name }: Pick<Target, "path" | "name">) =>
    `${prefix}/namespaces/${namespace}/${resource}/${name}`;
  const hpa = (name: string) => pathOf({ path: ["/apis/autoscaling/v2", "horizontalpodautoscalers"], name });
  const own = pathOf({
    path: ["/apis/autoscaling.plimsoll.dev/v1alpha1", "workloadautoscalers"],
    name: "own",
  });
  const patch = (path: string, body: object, query: Readonly<Record<string, string>> = {}) =>
    client.request({ method: "PATCH", path, query, contentType: "application/merge-patch+json", body });
  const events = `/api/v1/namespaces/${namespace}/events`;
  const passed = new Set<string>();
  /** When each target's count was changed last in the name of another. */
  const disputedAt = new Map<string, number>();
  /** The counts of the Events at the first look: one that waits for a slow server is created with its count. */
  const firstCounts = new Map<string, number>();

  return {
    namespace,
    async reset() {
      passed.clear();
      disputedAt.clear();
      firstCounts.clear();
      await Promise.all([
        ...trackTargets.map((each) => patch(pathOf(each), { spec: { [each.field]: 1 } })),
        ...hpas.map((name) => patch(`${hpa(name)}/status`, { status: null })),
        patch(`${own}/status`, { status: null }),
        ...["fleet", "broken"].map((name) =>
          patch(`${pathOf({ path: ["/apis/e2e.example/v1", "fleets"], name })}/status`, {
            status: { size: 1, selector: `app=${name}` },
          }),
        ),
      ]);
      await client.request({ method: "DELETE", path: events });
    },
    async failing(autoscaler) {
      await Promise.all([
        ...trackTargets.map((each) => probe(each, autoscaler)),
        statuses(),
        eventsWritten(),
      ]);
      return allProbes().filter((name) => !passed.has(name));
    },
  };

  function allProbes(): readonly string[] {
    return [
      ...trackTargets.map(({ title }) => `scales ${title}`),
      ...trackTargets.filter(({ isBuiltIn }) => isBuiltIn).map(({ title }) => `knows who scaled ${title}`),
      "writes the status of an HPA",
      "writes the status of a WorkloadAutoscaler",
      "writes events",
      "counts an event that comes again",
    ];
  }

  async function probe(each: Target, autoscaler: Autoscaler): Promise<void> {
    const { spec } = await client.request<{ spec: Record<string, number> }>({ path: pathOf(each) });
    const count = spec[each.field] ?? 0;
    if (count >= 2) passed.add(`scales ${each.title}`);
    if (!passed.has(`scales ${each.title}`) || !each.isBuiltIn) return;
    const isDue =
      performance.now() - (disputedAt.get(each.name) ?? Number.NEGATIVE_INFINITY) > disputeEveryMs;
    const decisions = autoscaler.decisions.of(namespace, each.name, "horizontalpodautoscalers");
    // On a slow machine a value that was read during the scale asks for more than two, and the window keeps that.
    if (count === decisions.at(-1)?.decision.desiredReplicas && isDue) {
      disputedAt.set(each.name, performance.now());
      await patch(
        `${pathOf(each)}/scale`,
        { spec: { replicas: count + 1 } },
        { fieldManager: "kube-controller-manager" },
      );
    }
    // Of any decision: one that follows has no other writer any more.
    if (decisions.some(({ otherWriter }) => otherWriter?.by === "kube-controller-manager"))
      passed.add(`knows who scaled ${each.title}`);
  }

  async function statuses(): Promise<void> {
    const isWritten = async (path: string) => {
      const { status } = await client.request<KubeObject & { status?: { conditions?: readonly object[] } }>({
        path,
      });
      return (status?.conditions ?? []).length > 0;
    };
    if (await isWritten(hpa("deployed"))) passed.add("writes the status of an HPA");
    if (await isWritten(own)) passed.add("writes the status of a WorkloadAutoscaler");
  }

  async function eventsWritten(): Promise<void> {
    const { items } = await client.request<{
      items: readonly (KubeObject & {
        readonly count?: number;
        readonly involvedObject: { readonly kind: string };
      })[];
    }>({ path: events });
    const ours = items.filter(({ involvedObject }) => involvedObject.kind.endsWith("Autoscaler"));
    for (const { metadata, count = 1 } of ours) {
      passed.add("writes events");
      const first = firstCounts.get(metadata.name) ?? count;
      firstCounts.set(metadata.name, first);
      if (count > first) passed.add("counts an event that comes again");
    }
  }
}
