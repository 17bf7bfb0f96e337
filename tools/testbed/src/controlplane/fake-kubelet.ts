import {
  ApiError,
  createReflector,
  isNotFound,
  type KubeClient,
  type KubeObject,
  resourcePath,
} from "@plimsoll/kube";

/** Plays scheduler and kubelet for every pod of a cluster that has neither. */
export interface FakeKubelet {
  stop(): Promise<void>;
}

export interface FakeKubeletOptions {
  readonly client: KubeClient;
  /** From Running to Ready. */
  readonly readyDelayMs: number;
  /** From the deletion request until the pod is gone. */
  readonly terminationMs: number;
  /** The first two bytes of the pods' addresses ["10.1"]; those from 127.1 on are reached at this machine. */
  readonly podNetwork?: string | undefined;
  /** Pods that another kubelet manages. */
  readonly leaves?: (pod: KubeObject) => boolean;
  /** Called with writes that failed for another reason than that the pod is gone. */
  readonly onError: (error: unknown) => void;
}

interface Pod extends KubeObject {
  readonly spec?: {
    readonly nodeName?: string;
    readonly containers?: readonly { readonly name: string; readonly image?: string }[];
  };
  readonly status?: {
    readonly phase?: string;
    readonly startTime?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

const retryDelayMs = 500;
/** The one node there is. */
export const node = "e2e-node-1";
const nodeAddress = "10.0.0.1";
const capacity = { cpu: "64", memory: "256Gi", pods: "10000" };

/** Registers one Ready node and takes care of the pods that are there and that come. */
export async function startFakeKubelet(options: FakeKubeletOptions): Promise<FakeKubelet> {
  await registerNode(options.client);
  const pods = createReflector<Pod>({
    client: options.client,
    path: "/api/v1/pods",
    onError: options.onError,
  });
  const timers = createTimers();
  /** The step that was begun last for each pod, so that an echo of the watch does not begin it once more. */
  const begun = new Map<string, string>();
  let serial = 0;
  let isStopped = false;

  const retry = (pod: Pod, error: unknown): void => {
    if (isNotFound(error) || isReplaced(error) || isStopped) return;
    options.onError(error);
    begun.delete(pod.metadata.uid ?? "");
    timers.after(retryDelayMs, () => {
      const current = pods.store.get(pod.metadata.namespace, pod.metadata.name);
      if (current !== undefined) care(current);
    });
  };
  const care = (pod: Pod): void => {
    if (options.leaves?.(pod) === true) return;
    const uid = pod.metadata.uid ?? "";
    const step = nextStep(pod);
    if (step === undefined || begun.get(uid) === step) return;
    begun.set(uid, step);
    if (step === "run") serial += 1;
    const number = serial;
    timers.after(delayOf(step, options), () => {
      carryOut(options, pod, { step, number }).catch((error: unknown) => retry(pod, error));
    });
  };
  pods.subscribe((change) => {
    if (change.type === "deleted") begun.delete(change.object.metadata.uid ?? "");
    else care(change.object);
  });
  pods.start();
  await pods.synced();

  return {
    async stop() {
      isStopped = true;
      await pods.stop();
      timers.stop();
    },
  };
}

type Step = "bind" | "run" | "ready" | "delete";

function delayOf(step: Step, { readyDelayMs, terminationMs }: FakeKubeletOptions): number {
  if (step === "ready") return readyDelayMs;
  return step === "delete" ? terminationMs : 0;
}

function carryOut(
  { client, podNetwork }: FakeKubeletOptions,
  pod: Pod,
  { step, number }: { readonly step: Step; readonly number: number },
): Promise<unknown> {
  switch (step) {
    case "delete":
      return remove(client, pathOf(pod), pod.metadata.uid ?? "");
    case "bind":
      return bind(client, pathOf(pod, "binding"), pod);
    case "run":
      return patchStatus(client, pod, {
        ...runningStatus(pod, number, podNetwork),
        ...conditions(pod, false),
      });
    case "ready":
      return patchStatus(client, pod, conditions(pod, true));
  }
}

function pathOf({ metadata }: Pod, subresource?: string): string {
  const pods = { group: "", version: "v1", resource: "pods" };
  return resourcePath(pods, metadata.namespace, metadata.name, subresource);
}

function patchStatus(client: KubeClient, pod: Pod, status: object): Promise<unknown> {
  return client.request({
    method: "PATCH",
    path: pathOf(pod, "status"),
    contentType: "application/merge-patch+json",
    // The uid makes the write fail on one of the same name that came after.
    body: { metadata: { uid: pod.metadata.uid }, status },
  });
}

/** Another pod has the name now: the pod of a StatefulSet came back. */
function isReplaced(error: unknown): boolean {
  return error instanceof ApiError && error.reason === "Invalid" && error.message.includes("metadata.uid");
}

function createTimers() {
  const timers = new Set<NodeJS.Timeout>();
  return {
    after(delayMs: number, run: () => void): void {
      const timer = setTimeout(() => {
        timers.delete(timer);
        run();
      }, delayMs);
      timers.add(timer);
    },
    stop(): void {
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

function nextStep(pod: Pod): Step | undefined {
  if (pod.metadata.deletionTimestamp !== undefined) return "delete";
  if (pod.spec?.nodeName === undefined) return "bind";
  if (pod.status?.phase === "Pending") return "run";
  const ready = pod.status?.conditions?.find((condition) => condition.type === "Ready");
  return pod.status?.phase === "Running" && ready?.status !== "True" ? "ready" : undefined;
}

async function registerNode(client: KubeClient): Promise<void> {
  const path = "/api/v1/nodes";
  const conditions = [{ type: "Ready", status: "True", reason: "KubeletReady", message: "ready" }];
  try {
    await client.request({
      method: "POST",
      path,
      body: {
        apiVersion: "v1",
        kind: "Node",
        metadata: { name: node, labels: { "kubernetes.io/hostname": node, "kubernetes.io/os": "linux" } },
      },
    });
  } catch (error) {
    if (!(error instanceof ApiError && error.reason === "AlreadyExists")) throw error;
  }
  await client.request({
    method: "PATCH",
    path: `${path}/${node}/status`,
    contentType: "application/merge-patch+json",
    body: { status: { capacity, allocatable: capacity, conditions } },
  });
}

function bind(client: KubeClient, path: string, pod: Pod): Promise<unknown> {
  return client.request({
    method: "POST",
    path,
    body: {
      apiVersion: "v1",
      kind: "Binding",
      metadata: { name: pod.metadata.name, namespace: pod.metadata.namespace, uid: pod.metadata.uid },
      target: { apiVersion: "v1", kind: "Node", name: node },
    },
  });
}

function remove(client: KubeClient, path: string, uid: string): Promise<unknown> {
  return client.request({
    method: "DELETE",
    path,
    body: { apiVersion: "v1", kind: "DeleteOptions", gracePeriodSeconds: 0, preconditions: { uid } },
  });
}

function runningStatus(pod: Pod, serial: number, network = "10.1"): object {
  const podIP = `${network}.${(serial >> 8) & 255}.${serial & 255}`;
  const startedAt = wholeSeconds();
  return {
    phase: "Running",
    startTime: startedAt,
    hostIP: nodeAddress,
    podIP,
    podIPs: [{ ip: podIP }],
    containerStatuses: (pod.spec?.containers ?? []).map(({ name, image = "" }) => ({
      name,
      image,
      imageID: "",
      ready: true,
      started: true,
      restartCount: 0,
      state: { running: { startedAt } },
    })),
  };
}

function conditions(pod: Pod, isReady: boolean): object {
  const now = wholeSeconds();
  const of = (type: string, isTrue: boolean) => ({
    type,
    status: isTrue ? "True" : "False",
    lastTransitionTime: isTrue && type === "PodScheduled" ? (pod.status?.startTime ?? now) : now,
  });
  return {
    conditions: [
      of("PodScheduled", true),
      of("Initialized", true),
      of("ContainersReady", isReady),
      of("Ready", isReady),
    ],
  };
}

function wholeSeconds(): string {
  return `${new Date().toISOString().slice(0, 19)}Z`;
}
