// What a kubelet puts beside a process: volumes, a token of its service account, the names of Services.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type KubeClient, type KubeObject, resourcePath } from "@plimsoll/kube";
import { kubeconfigText } from "@plimsoll/sandbox";
import type { Container, Pod } from "./pod.ts";
import type { Mount } from "./pod-image.ts";

export interface PodFilesOptions {
  readonly client: KubeClient;
  readonly server: { readonly url: string; readonly caPem: string };
  readonly pod: Pod;
  /** A folder of its own, for what is mounted. */
  readonly folder: string;
}

/** The content of its ConfigMaps and Secrets, and empty folders. @throws while one of them is not there */
export async function mountVolumes(
  { client, pod, folder }: PodFilesOptions,
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

interface Services {
  readonly items: readonly (KubeObject & { readonly spec: { readonly clusterIP?: string } })[];
}

/** The names of all Services, which a cluster's DNS knows, in a file as /etc/hosts. */
export async function writeHosts({ client, folder }: PodFilesOptions): Promise<string> {
  const { items } = await client.request<Services>({ path: "/api/v1/services" });
  const lines = items.map(({ metadata: { name, namespace }, spec }) =>
    [spec.clusterIP, `${name}.${namespace}.svc`, `${name}.${namespace}.svc.cluster.local`].join(" "),
  );
  const file = join(madeFolder(folder, ".etc"), "hosts");
  writeFileSync(file, `127.0.0.1 localhost\n${lines.join("\n")}\n`);
  return file;
}

/** With what the pod's service account may do, and nothing else: a kubeconfig, and a folder as a pod has it. */
export async function writeAccount(
  options: PodFilesOptions,
): Promise<{ readonly kubeconfig: string; readonly account: string }> {
  const { server, pod, folder } = options;
  const { namespace = "" } = pod.metadata;
  const token = await requestToken(options);
  const { url, caPem } = server;
  const config = kubeconfigText({ server: url, caPem, user: { token }, namespace });
  const kubeconfig = join(madeFolder(folder, ".kube"), "kubeconfig");
  writeFileSync(kubeconfig, config, { mode: 0o600 });
  const account = madeFolder(folder, ".account");
  for (const [name, text] of Object.entries({ token, namespace, "ca.crt": caPem }))
    writeFileSync(join(account, name), text, { mode: 0o600 });
  return { kubeconfig, account };
}

async function requestToken({ client, pod }: PodFilesOptions): Promise<string> {
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
  return status.token;
}

/** A folder below that of the pod, whose name no volume has. */
export function madeFolder(folder: string, name: string): string {
  const place = join(folder, name);
  mkdirSync(place, { recursive: true });
  return place;
}
