import { isNotFound, type KubeClient, type KubeObject, type KubeRequest } from "@plimsoll/kube";
import { type ClusterStack, parseManifests, until } from "@plimsoll/testbed";
import { parse, stringify } from "yaml";
import { followsQueue, workload } from "./targets.ts";

/** What is tried in a track of jobs and schedules. */
export const cronProbes = {
  jobs: "runs a job on a Deployment",
  status: "records what became of a job",
  hpaOfJob: "moves the bounds of an HPA for a job",
  schedule: "moves the bounds of an HPA for a schedule",
} as const;

/** A namespace with a CronHorizontalPodAutoscaler of a Deployment, one of an HPA, and an HPA with schedules. */
export interface CronTrack {
  readonly namespace: string;
  /** All objects, created once more. */
  reset(): Promise<void>;
  /** The probes that have not succeeded since the reset. */
  failing(): Promise<readonly string[]>;
  /** Lets every write of a WorkloadAutoscaler find another version of it than the one that was watched. */
  between(client: KubeClient): KubeClient;
}

/** The definition with a status subresource, as a cluster may have it: the status is written to either place then. */
export function withStatus(definition: string): string {
  const crd = parse(definition) as { readonly spec: { readonly versions: readonly object[] } };
  const versions = crd.spec.versions.map((version) => ({ ...version, subresources: { status: {} } }));
  return stringify({ ...crd, spec: { ...crd.spec, versions } });
}

export function cronTrackObjects(namespace: string): string {
  const own = cronNamespace(namespace);
  const text = ["timed", "bound", "planned"].map((name) => workload("Deployment", name)).join("");
  return `apiVersion: v1\nkind: Namespace\nmetadata: { name: ${own} }\n${text.replaceAll("namespace: default", `namespace: ${own}`)}`;
}

const cronNamespace = (track: string) => `${track}-cron`;

const cronHpa = (name: string, target: string) => `---
apiVersion: autoscaling.alibabacloud.com/v1beta1
kind: CronHorizontalPodAutoscaler
metadata: { name: ${name} }
spec:
  scaleTargetRef: { ${target}, name: ${name} }
  jobs: [{ name: up, schedule: "* * * * * *", targetSize: 5 }]
`;

const made = [
  followsQueue("bound", { apiVersion: "apps/v1", kind: "Deployment" }),
  followsQueue("planned", { apiVersion: "apps/v1", kind: "Deployment" }),
  cronHpa("timed", "apiVersion: apps/v1, kind: Deployment"),
  cronHpa("bound", "apiVersion: autoscaling/v1, kind: HorizontalPodAutoscaler"),
  `---
apiVersion: autoscaling.plimsoll.dev/v1alpha1
kind: WorkloadAutoscaler
metadata: { name: planned }
spec:
  scaleTargetRef: { apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, name: planned }
  maxReplicas: 20
  schedules: [{ name: always, timeZone: UTC, start: "* * * * *", duration: 1h, minReplicas: 3 }]
`,
].join("");

export function createCronTrack(stack: ClusterStack, track: string): CronTrack {
  const { client } = stack;
  const namespace = cronNamespace(track);
  const apps = `/apis/apps/v1/namespaces/${namespace}/deployments`;
  const hpas = `/apis/autoscaling/v2/namespaces/${namespace}/horizontalpodautoscalers`;
  const wlas = `/apis/autoscaling.plimsoll.dev/v1alpha1/namespaces/${namespace}/workloadautoscalers`;
  const crons = `/apis/autoscaling.alibabacloud.com/v1beta1/namespaces/${namespace}/cronhorizontalpodautoscalers`;
  const collections: Readonly<Record<string, string>> = {
    HorizontalPodAutoscaler: hpas,
    WorkloadAutoscaler: wlas,
    CronHorizontalPodAutoscaler: crons,
  };
  const patch = (path: string, body: object) =>
    client.request({ method: "PATCH", path, contentType: "application/merge-patch+json", body });
  const passed = new Set<string>();
  let touches = 0;

  return { namespace, reset, failing, between };

  async function reset(): Promise<void> {
    passed.clear();
    await patch(`${wlas}/planned`, { metadata: { finalizers: null } }).catch(unlessGone);
    await Promise.all([wlas, crons, hpas].map((path) => client.request({ method: "DELETE", path })));
    await until("the former objects to be gone", async () => {
      const lists = await Promise.all(
        [wlas, crons, hpas].map((path) => client.request<{ items: readonly object[] }>({ path })),
      );
      return lists.every(({ items }) => items.length === 0) || undefined;
    });
    await patch(`${apps}/timed`, { spec: { replicas: 1 } });
    for (const object of parseManifests(made)) {
      const path = collections[object.kind ?? ""] ?? "";
      const { metadata } = object;
      // Created, not applied: bounds that another client applies are its own.
      await client.request({
        method: "POST",
        path,
        body: { ...object, metadata: { ...metadata, namespace } },
      });
    }
  }

  async function failing(): Promise<readonly string[]> {
    const read = <T>(path: string) => client.request<KubeObject & T>({ path });
    const [timed, bound, planned, cron] = await Promise.all([
      read<{ spec: { replicas: number } }>(`${apps}/timed`),
      read<{ spec: { minReplicas: number } }>(`${hpas}/bound`),
      read<{ spec: { minReplicas: number } }>(`${hpas}/planned`),
      read<{ status?: { conditions?: readonly { state: string }[] } }>(`${crons}/timed`),
    ]);
    if (timed.spec.replicas === 5) passed.add(cronProbes.jobs);
    if (bound.spec.minReplicas === 5) passed.add(cronProbes.hpaOfJob);
    if (planned.spec.minReplicas === 3) passed.add(cronProbes.schedule);
    if (cron.status?.conditions?.some(({ state }) => state === "Succeed")) passed.add(cronProbes.status);
    return Object.values(cronProbes).filter((name) => !passed.has(name));
  }

  function between(inner: KubeClient): KubeClient {
    let isFresh = false;
    return {
      ...inner,
      async request<T>(request: KubeRequest) {
        const isOne = request.path === `${wlas}/planned`;
        if (isOne && request.method === "PATCH" && !isFresh) {
          touches += 1;
          await patch(request.path, { metadata: { annotations: { touched: String(touches) } } });
        }
        const answer = await inner.request<T>(request);
        if (isOne) isFresh = request.method !== "PATCH";
        return answer;
      },
    };
  }
}

function unlessGone(error: unknown): void {
  if (!isNotFound(error)) throw error;
}
