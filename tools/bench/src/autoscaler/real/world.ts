// Creates the objects of the comparison on a real control plane.
import type { KubeClient } from "@plimsoll/kube";

/** How many objects there are, and where. */
export interface Size {
  readonly objects: number;
  readonly podsEach: number;
}

const objectsPerNamespace = 50;
const requestsAtOnce = 32;

export function namespaceOf(index: number): string {
  return `bench-${Math.floor(index / objectsPerNamespace)}`;
}

/** Indices of the objects of a namespace. */
export function objectsIn(namespace: string, { objects }: Size): readonly number[] {
  const first = Number(namespace.slice("bench-".length)) * objectsPerNamespace;
  const count = Math.min(objectsPerNamespace, objects - first);
  return Array.from({ length: Math.max(0, count) }, (_, n) => first + n);
}

/**
 * Deployments with pods that are Ready since long, and HPAs on their cpu; no controller is needed for them. `first` is the index of
 * the first that is created; it begins a namespace.
 */
export async function createWorld(client: KubeClient, size: Size, first = 0): Promise<void> {
  const create = (path: string, body: object) => client.request({ method: "POST", path, body });
  const setStatus = (path: string, status: object) =>
    client.request({
      method: "PATCH",
      path: `${path}/status`,
      contentType: "application/merge-patch+json",
      body: { status },
    });
  const all = Array.from({ length: size.objects - first }, (_, index) => first + index);
  await each([...new Set(all.map(namespaceOf))], async (name) => {
    await create("/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name } });
    await create(`/api/v1/namespaces/${name}/serviceaccounts`, {
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { name: "default" },
      automountServiceAccountToken: false,
    });
  });
  await each(all, async (index) => {
    const namespace = namespaceOf(index);
    const name = `w-${index}`;
    const apps = `/apis/apps/v1/namespaces/${namespace}/deployments`;
    await create(apps, deployment(name, size));
    await setStatus(`${apps}/${name}`, { replicas: size.podsEach, readyReplicas: size.podsEach });
    const pods = `/api/v1/namespaces/${namespace}/pods`;
    for (let n = 0; n < size.podsEach; n++) {
      await create(pods, pod(`${name}-${n}`, name));
      await setStatus(`${pods}/${name}-${n}`, running);
    }
  });
  await each(all, async (index) => {
    const path = `/apis/autoscaling/v2/namespaces/${namespaceOf(index)}/horizontalpodautoscalers`;
    await create(path, hpa(`w-${index}`));
  });
}

async function each<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const waiting = items.values();
  const worker = async () => {
    for (const item of waiting) await work(item);
  };
  await Promise.all(Array.from({ length: requestsAtOnce }, worker));
}

const spec = {
  containers: [
    {
      name: "main",
      image: "registry.example/main:1",
      resources: { requests: { cpu: "100m", memory: "64Mi" } },
    },
  ],
};

function deployment(name: string, { podsEach }: Size): object {
  const labels = { app: name };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, labels },
    spec: { replicas: podsEach, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  };
}

function pod(name: string, app: string): object {
  return { apiVersion: "v1", kind: "Pod", metadata: { name, labels: { app } }, spec };
}

const start = "2026-01-01T00:00:00Z";
const running = {
  phase: "Running",
  startTime: start,
  conditions: [{ type: "Ready", status: "True", lastTransitionTime: start }],
};

function hpa(name: string): object {
  const target = { type: "Utilization", averageUtilization: 50 };
  return {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name },
      minReplicas: 1,
      maxReplicas: 100,
      metrics: [{ type: "Resource", resource: { name: "cpu", target } }],
    },
  };
}
