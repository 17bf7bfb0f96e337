// A bundle of a cluster, and its files.
import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { createGunzip } from "node:zlib";
import { extract } from "tar-stream";
import { type FakeCluster, fakeCluster, nowMs, run } from "./fake-cluster.ts";
import { putWorkload, statusOf } from "./workload.ts";

export const canary = "s3cr3t-canary";

export const token =
  "eyJhbGciOiJSUzI1NiIsImtpZCI6IngifQ.eyJzdWIiOiJzeXN0ZW06c2VydmljZWFjY291bnQifQ.c2lnbmF0dXJl";

export function shop(): FakeCluster {
  const cluster = fakeCluster();
  putWorkload(cluster, {
    namespace: "pay",
    name: "billing",
    replicas: 3,
    usage: "300m",
    status: statusOf(3, { cpu: 60 }),
    metadata: {
      annotations: {
        "kubectl.kubernetes.io/last-applied-configuration": `{"password":"${canary}"}`,
        "example.org/note": canary,
        "autoscaling.plimsoll.dev/mode": "Shadow",
      },
    },
  });
  cluster.put({
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: "billing.1", namespace: "pay" },
    ...({
      involvedObject: { kind: "HorizontalPodAutoscaler", name: "billing" },
      lastTimestamp: "2026-11-22T09:58:00Z",
      message: "New size: 3",
    } as object),
  });
  cluster.put({
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: "billing.0", namespace: "pay" },
    ...({
      involvedObject: { name: "billing" },
      lastTimestamp: "2026-11-22T07:00:00Z",
      message: "old",
    } as object),
  });
  cluster.reply("/apis/apiregistration.k8s.io/v1/apiservices", {
    items: [
      {
        metadata: { name: "v1beta1.metrics.k8s.io" },
        spec: { caBundle: Buffer.from("-----BEGIN CERTIFICATE-----\nMIIB").toString("base64") },
      },
      { metadata: { name: "v1.apps" } },
    ],
  });
  return cluster;
}

/** The pod of an autoscaler of ours, with a log. */
export function withProcess(cluster: FakeCluster, log: string): FakeCluster {
  cluster.put({
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: "plimsoll-autoscaler-0",
      namespace: "plimsoll",
      labels: { "app.kubernetes.io/name": "plimsoll" },
    },
    ...({
      spec: {
        containers: [
          {
            name: "autoscaler",
            image: "autoscaler:1",
            args: ["--shadow", "--x-token", canary],
            env: [{ name: "PASSWORD", value: canary }],
            ports: [{ name: "metrics", containerPort: 8085 }],
          },
        ],
      },
    } as object),
  });
  texts.set(
    cluster,
    new Map([
      [`${pod}/log`, log],
      [`${pod}:8085/proxy/metrics`, "plimsoll_up 1\n"],
    ]),
  );
  return cluster;
}

export const pod = "/api/v1/namespaces/plimsoll/pods/plimsoll-autoscaler-0";

const texts = new WeakMap<FakeCluster, ReadonlyMap<string, string>>();

/** The command against the cluster, whose logs are not JSON. */
export async function bundle(cluster: FakeCluster, args: readonly string[]) {
  const clock = { nowMs: () => nowMs, after: () => () => undefined };
  const { client, access } = cluster.connection(clock);
  const stream: typeof client.stream = async (request) => {
    const content = texts.get(cluster)?.get(request.path);
    return content === undefined ? await client.stream(request) : Readable.from([Buffer.from(content)]);
  };
  return await run(cluster, ["bundle", ...args], {
    connect: async () => ({ client: { ...client, stream }, access }),
  });
}

export async function filesOf(path: string): Promise<Readonly<Record<string, string>>> {
  const files: Record<string, string> = {};
  const entries = createReadStream(path).pipe(createGunzip()).pipe(extract());
  for await (const entry of entries) files[entry.header.name] = await text(entry);
  return files;
}

export const pemKey = "-----BEGIN PRIVATE KEY-----\nMIIBsecret\n-----END PRIVATE KEY-----";
