// The process of a pod.
import { type Child, startChild } from "../stack/child.ts";
import { madeFolder, mountVolumes, type PodFilesOptions, writeAccount, writeHosts } from "./pod-files.ts";
import type { PodImage } from "./pod-image.ts";

/** The process of a pod's first container. */
export interface PodProcess {
  readonly lines: readonly string[];
  readonly exited: Promise<number | null>;
  stop(): Promise<void>;
}

export interface PodProcessOptions extends PodFilesOptions {
  readonly image: PodImage;
  /** In status.podIP, and as the field status.podIP is in an environment. */
  readonly local: string;
}

const graceMs = 10_000;

/**
 * Starts it as a kubelet would: with the container's arguments and environment, the content of its ConfigMaps and
 * Secrets, and a token of its service account. @throws while one of them is not there
 */
export async function startPodProcess(options: PodProcessOptions): Promise<PodProcess> {
  const { pod, image } = options;
  const container = pod.spec?.containers?.[0];
  if (container === undefined) throw new Error(`${pod.metadata.name} has no container`);
  const environment = new Map(
    (container.env ?? []).map(({ name, value, valueFrom }) => [
      name,
      value ?? fieldOf(options, valueFrom?.fieldRef?.fieldPath ?? ""),
    ]),
  );
  const expand = (text: string) =>
    text.replace(/\$\((\w+)\)/g, (whole, name: string) => environment.get(name) ?? whole);
  const run = image.commandFor({
    args: (container.args ?? []).map(expand),
    environment: Object.fromEntries(environment),
    mounts: await mountVolumes(options, container),
    server: new URL(options.server.url),
    ...(await writeAccount(options)),
    hosts: await writeHosts(options),
    tmp: madeFolder(options.folder, ".tmp"),
  });
  const child = await startChild({
    name: `${pod.metadata.namespace}/${pod.metadata.name}`,
    ...run,
    ready: (line) => line.includes(image.ready),
  });
  return { ...child, stop: () => end(child, image) };
}

/** The process itself gets the signal, as from a container engine. */
async function end(child: Child, { inside }: PodImage): Promise<void> {
  if (inside !== undefined) {
    const signaled = signal(inside, child.pid);
    const { promise: waited, resolve } = Promise.withResolvers<void>();
    const grace = setTimeout(resolve, graceMs);
    if (signaled) await Promise.race([child.exited, waited]);
    clearTimeout(grace);
  }
  await child.stop();
}

/** Whether there is a process to get it. */
function signal(inside: (pid: number) => number, pid: number): boolean {
  try {
    const target = inside(pid);
    // Zero is the group of this process.
    return target > 0 && process.kill(target, "SIGTERM");
  } catch {
    return false;
  }
}

function fieldOf({ pod, local }: PodProcessOptions, path: string): string {
  const fields: Readonly<Record<string, string | undefined>> = {
    "metadata.name": pod.metadata.name,
    "metadata.namespace": pod.metadata.namespace,
    "status.podIP": local,
  };
  return fields[path] ?? "";
}
