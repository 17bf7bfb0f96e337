import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { join } from "node:path";
import { createReflector, isNotFound, type KubeClient, resourcePath } from "@plimsoll/kube";
import { type Container, type Pod, podAddresses } from "./pod.ts";
import { type PodImages, sourceImages } from "./pod-image.ts";
import { type PodProcess, startPodProcess } from "./pod-process.ts";

/** Runs the pods of our own images as processes of this machine, with probes; leaves all other pods alone. */
export interface ProcessKubelet {
  /** What every process printed, by the pod's name, also of pods that are gone. */
  logs(): ReadonlyMap<string, readonly string[]>;
  stop(): Promise<void>;
}

export interface ProcessKubeletOptions {
  readonly client: KubeClient;
  readonly server: { readonly url: string; readonly caPem: string };
  readonly folder: string;
  /** The second number of the pods' addresses. */
  readonly network: number;
  /** The node that the pods are bound to. */
  readonly node: string;
  /** What runs as an image. By default our programs do, from their sources. */
  readonly images?: PodImages;
  readonly onError: (error: unknown) => void;
}

const retryMs = 500;
const insistence = 20;
const probeTimeoutMs = 2_000;
const probeEveryMs = 250;

/** Whether a pod is one for such a kubelet. */
export function isOurs(pod: Pod, images: PodImages = sourceImages): boolean {
  return images(pod.spec?.containers?.[0]?.image ?? "") !== undefined;
}

export async function startProcessKubelet(options: ProcessKubeletOptions): Promise<ProcessKubelet> {
  const pods = createReflector<Pod>({
    client: options.client,
    path: "/api/v1/pods",
    onError: options.onError,
  });
  const running = new Map<string, { readonly ending: AbortController; readonly ended: Promise<void> }>();
  const logs = new Map<string, readonly string[]>();
  let serial = 0;
  const care = (pod: Pod): void => {
    const { uid = "" } = pod.metadata;
    const known = running.get(uid);
    if (pod.metadata.deletionTimestamp !== undefined) {
      if (known === undefined) running.set(uid, lifeOf(pod, true));
      else known.ending.abort();
      return;
    }
    if (known === undefined) running.set(uid, lifeOf(pod, false));
  };

  function lifeOf(pod: Pod, isEnding: boolean) {
    const ending = new AbortController();
    if (isEnding) ending.abort();
    serial += 1;
    const ended = live(options, { pod, serial, ending: ending.signal, logs }).catch((error: unknown) => {
      if (!isNotFound(error)) options.onError(error);
    });
    return { ending, ended };
  }

  pods.subscribe((change) => {
    if (isOurs(change.object, options.images) && change.type !== "deleted") care(change.object);
    else running.get(change.object.metadata.uid ?? "")?.ending.abort();
  });
  pods.start();
  await pods.synced();
  return {
    logs: () => logs,
    async stop() {
      await pods.stop();
      for (const { ending } of running.values()) ending.abort();
      await Promise.all([...running.values()].map(({ ended }) => ended));
    },
  };
}

interface Life {
  readonly pod: Pod;
  readonly serial: number;
  readonly ending: AbortSignal;
  readonly logs: Map<string, readonly string[]>;
}

/** From the binding to the deletion. */
async function live(options: ProcessKubeletOptions, { pod, serial, ending, logs }: Life): Promise<void> {
  const { namespace = "", name } = pod.metadata;
  const path = (subresource?: string) =>
    resourcePath({ group: "", version: "v1", resource: "pods" }, namespace, name, subresource);
  const { ip, local } = podAddresses(options.network, serial);
  const container = pod.spec?.containers?.[0];
  const image = imageOf(options, container);
  if (container === undefined || image === undefined) return;
  const setStatus = (isReady: boolean) =>
    options.client.request({
      method: "PATCH",
      path: path("status"),
      contentType: "application/merge-patch+json",
      body: { metadata: { uid: pod.metadata.uid }, status: podStatus(container, ip, isReady) },
    });
  if (!ending.aborted && pod.spec?.nodeName === undefined)
    await insist(options, () => bind(options, path("binding"), pod));
  let starts = 0;
  while (!ending.aborted) {
    starts += 1;
    const folder = join(options.folder, `${name}-${starts}`);
    try {
      const child = await startPodProcess({ ...options, pod, image, folder, local });
      logs.set(name, child.lines);
      try {
        await whileAlive({ child, container, local, ending, setStatus });
      } finally {
        // The next one listens on the same address.
        await child.stop();
      }
    } catch (error) {
      if (isNotFound(error) && !(await exists(options.client, path()))) return;
      options.onError(error);
    }
    if (!ending.aborted) await pause(retryMs, ending);
  }
  await insist(options, () =>
    options.client.request({
      method: "DELETE",
      path: path(),
      body: { apiVersion: "v1", kind: "DeleteOptions", gracePeriodSeconds: 0 },
    }),
  );
}

/** Repeats what a busy API server refuses, which nothing else would do again. @throws when the pod is gone, and at last */
async function insist(
  { onError }: Pick<ProcessKubeletOptions, "onError">,
  action: () => Promise<unknown>,
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await action();
      return;
    } catch (error) {
      if (isNotFound(error) || tries === insistence) throw error;
      onError(error);
      await new Promise((resolve) => setTimeout(resolve, retryMs));
    }
  }
}

function imageOf({ images = sourceImages }: ProcessKubeletOptions, container: Container | undefined) {
  return images(container?.image ?? "");
}

/** Probes until the process ends or has to. */
async function whileAlive(options: {
  readonly child: PodProcess;
  readonly container: Container;
  readonly local: string;
  readonly ending: AbortSignal;
  readonly setStatus: (isReady: boolean) => Promise<unknown>;
}): Promise<void> {
  const { child, container, ending } = options;
  const gone = new AbortController();
  void child.exited.finally(() => gone.abort());
  const over = AbortSignal.any([ending, gone.signal]);
  await options.setStatus(false);
  let wasReady = false;
  while (!over.aborted) {
    const isReady = await probe(container, options.local);
    if (isReady !== wasReady) await options.setStatus(isReady);
    wasReady = isReady;
    await pause(probeEveryMs, over);
  }
}

async function probe(container: Container, host: string): Promise<boolean> {
  const get = container.readinessProbe?.httpGet;
  if (get === undefined) return true;
  const port =
    typeof get.port === "number"
      ? get.port
      : container.ports?.find(({ name }) => name === get.port)?.containerPort;
  const send = get.scheme === "HTTPS" ? httpsRequest : httpRequest;
  return new Promise((resolve) => {
    const request = send({
      host,
      port,
      path: get.path ?? "/",
      rejectUnauthorized: false,
      agent: false,
      timeout: probeTimeoutMs,
    });
    request.once("response", (response) => {
      response.resume();
      const code = response.statusCode ?? 0;
      resolve(code >= 200 && code < 400);
    });
    request.once("timeout", () => request.destroy());
    request.once("error", () => resolve(false));
    request.once("close", () => resolve(false));
    request.end();
  });
}

function podStatus({ name, image = "" }: Container, ip: string, isReady: boolean): object {
  const now = `${new Date().toISOString().slice(0, 19)}Z`;
  const of = (type: string, isTrue: boolean) => ({
    type,
    status: isTrue ? "True" : "False",
    lastTransitionTime: now,
  });
  return {
    phase: "Running",
    startTime: now,
    hostIP: "10.0.0.1",
    podIP: ip,
    podIPs: [{ ip }],
    containerStatuses: [
      {
        name,
        image,
        imageID: "",
        ready: isReady,
        started: true,
        restartCount: 0,
        state: { running: { startedAt: now } },
      },
    ],
    conditions: [
      of("PodScheduled", true),
      of("Initialized", true),
      of("ContainersReady", isReady),
      of("Ready", isReady),
    ],
  };
}

function bind(options: ProcessKubeletOptions, path: string, { metadata }: Pod): Promise<unknown> {
  return options.client.request({
    method: "POST",
    path,
    body: {
      apiVersion: "v1",
      kind: "Binding",
      metadata: { name: metadata.name, namespace: metadata.namespace, uid: metadata.uid },
      target: { apiVersion: "v1", kind: "Node", name: options.node },
    },
  });
}

async function exists(client: KubeClient, path: string): Promise<boolean> {
  return client.request({ path }).then(
    () => true,
    (error: unknown) => !isNotFound(error),
  );
}

function pause(delayMs: number, ending: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      ending.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, delayMs);
    ending.addEventListener("abort", done);
    if (ending.aborted) done();
  });
}
