import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type KubeClient, resourcePath } from "@plimsoll/kube";
import { stringify } from "yaml";
import { startChild } from "../stack/child.ts";
import { type PlimsollProgram, plimsollCommand } from "../stack/plimsoll-process.ts";
import type { Container, Pod } from "./pod.ts";

/** The process of a pod's first container, run from its sources. */
export interface PodProcess {
  readonly lines: readonly string[];
  readonly exited: Promise<number | null>;
  stop(): Promise<void>;
}

export interface PodProcessOptions {
  readonly client: KubeClient;
  readonly server: { readonly url: string; readonly caPem: string };
  readonly pod: Pod;
  readonly program: PlimsollProgram;
  /** A folder of its own, for what is mounted. */
  readonly folder: string;
  /** In status.podIP, and as the field status.podIP is in an environment. */
  readonly local: string;
}

const programs: Readonly<Record<string, PlimsollProgram>> = {
  "metrics-adapter": "metrics-adapter",
  autoscaler: "autoscaler",
  // Ours understands its arguments, and a cluster sees no difference.
  "prometheus-adapter": "metrics-adapter",
};

/** The program that represents an image; undefined for images of others. */
export function programOf(image: string | undefined): PlimsollProgram | undefined {
  const name = image?.split("@")[0]?.split("/").at(-1)?.split(":")[0];
  return programs[name ?? ""];
}

/**
 * Starts it as a kubelet would: with the container's arguments and environment, the content of its ConfigMaps and
 * Secrets, and a token of its service account. @throws while one of them is not there
 */
export async function startPodProcess(options: PodProcessOptions): Promise<PodProcess> {
  const { pod } = options;
  const container = pod.spec?.containers?.[0];
  if (container === undefined) throw new Error(`${pod.metadata.name} has no container`);
  const paths = await mountVolumes(options, container);
  const environment = new Map(
    (container.env ?? []).map(({ name, value, valueFrom }) => [
      name,
      value ?? fieldOf(options, valueFrom?.fieldRef?.fieldPath ?? ""),
    ]),
  );
  const expand = (text: string) =>
    text.replace(/\$\((\w+)\)/g, (whole, name: string) => environment.get(name) ?? whole);
  const { command, args } = plimsollCommand(options.program);
  return startChild({
    name: `${pod.metadata.namespace}/${pod.metadata.name}`,
    command,
    args: [...args, ...(container.args ?? []).map((arg) => paths.reduce(mounted, expand(arg)))],
    env: {
      ...Object.fromEntries(environment),
      KUBECONFIG: await ownKubeconfig(options),
      // In a pod a process lets others learn that it is leaving.
      KUBERNETES_SERVICE_HOST: "kubernetes.default.svc",
    },
    ready: (line) => line.includes('"serving"'),
  });
}

interface Mount {
  readonly mountPath: string;
  readonly folder: string;
}

function mounted(arg: string, { mountPath, folder }: Mount): string {
  return arg.replaceAll(`${mountPath}/`, `${folder}/`);
}

async function mountVolumes(
  { client, pod, folder }: PodProcessOptions,
  container: Container,
): Promise<readonly Mount[]> {
  const mounts: Mount[] = [];
  for (const { name, mountPath } of container.volumeMounts ?? []) {
    const volume = pod.spec?.volumes?.find((candidate) => candidate.name === name);
    const own = join(folder, name);
    mkdirSync(own, { recursive: true });
    for (const [key, text] of Object.entries(await contentOf(client, pod.metadata.namespace ?? "", volume))) {
      writeFileSync(join(own, key), text, { mode: 0o600 });
    }
    mounts.push({ mountPath, folder: own });
  }
  return mounts;
}

async function contentOf(
  client: KubeClient,
  namespace: string,
  volume: NonNullable<NonNullable<Pod["spec"]>["volumes"]>[number] | undefined,
): Promise<Readonly<Record<string, string | Buffer>>> {
  const read = async (resource: string, name: string) => {
    const path = resourcePath({ group: "", version: "v1", resource }, namespace, name);
    const { data } = await client.request<{ data?: Readonly<Record<string, string>> }>({ path });
    return data ?? {};
  };
  if (volume?.configMap !== undefined) return read("configmaps", volume.configMap.name);
  if (volume?.secret === undefined) return {};
  const data = await read("secrets", volume.secret.secretName);
  return Object.fromEntries(Object.entries(data).map(([key, text]) => [key, Buffer.from(text, "base64")]));
}

function fieldOf({ pod, local }: PodProcessOptions, path: string): string {
  const fields: Readonly<Record<string, string | undefined>> = {
    "metadata.name": pod.metadata.name,
    "metadata.namespace": pod.metadata.namespace,
    "status.podIP": local,
  };
  return fields[path] ?? "";
}

/** With what the pod's service account may do, and nothing else. */
async function ownKubeconfig({ client, server, pod, folder }: PodProcessOptions): Promise<string> {
  const { namespace = "", name, uid } = pod.metadata;
  const account = pod.spec?.serviceAccountName ?? "default";
  const { status } = await client.request<{ status: { token: string } }>({
    method: "POST",
    path: `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`,
    body: {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenRequest",
      spec: { boundObjectRef: { apiVersion: "v1", kind: "Pod", name, uid } },
    },
  });
  const ca = Buffer.from(server.caPem).toString("base64");
  const config = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": "pod",
    clusters: [{ name: "pod", cluster: { server: server.url, "certificate-authority-data": ca } }],
    contexts: [{ name: "pod", context: { cluster: "pod", user: "pod", namespace } }],
    users: [{ name: "pod", user: { token: status.token } }],
  };
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "kubeconfig");
  writeFileSync(file, stringify(config, { lineWidth: 0 }), { mode: 0o600 });
  return file;
}
