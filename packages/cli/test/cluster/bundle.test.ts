// `plimsoll bundle`: what is in the file, what is not, and what never is.
import { createHash } from "node:crypto";
import { createReadStream, existsSync } from "node:fs";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { createGunzip } from "node:zlib";
import { decodeRecord, replay } from "@plimsoll/core";
import type { KubeRequest } from "@plimsoll/kube";
import { extract } from "tar-stream";
import { afterAll, beforeAll, expect, test } from "vitest";
import { schemaErrors } from "../published-schema.ts";
import { type FakeCluster, fakeCluster, nowMs, run } from "./fake-cluster.ts";
import { putWorkload, statusOf } from "./workload.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "plimsoll-bundle-test-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const canary = "s3cr3t-canary";
const token = "eyJhbGciOiJSUzI1NiIsImtpZCI6IngifQ.eyJzdWIiOiJzeXN0ZW06c2VydmljZWFjY291bnQifQ.c2lnbmF0dXJl";

function shop(): FakeCluster {
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
function withProcess(cluster: FakeCluster, log: string): FakeCluster {
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

const pod = "/api/v1/namespaces/plimsoll/pods/plimsoll-autoscaler-0";
const texts = new WeakMap<FakeCluster, ReadonlyMap<string, string>>();

/** The command against the cluster, whose logs are no JSON. */
async function bundle(cluster: FakeCluster, args: readonly string[]) {
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

async function filesOf(path: string): Promise<Readonly<Record<string, string>>> {
  const files: Record<string, string> = {};
  const entries = createReadStream(path).pipe(createGunzip()).pipe(extract());
  for await (const entry of entries) files[entry.header.name] = await text(entry);
  return files;
}

test("a bundle has what a report of a problem needs, with hashes, and lists it first", async () => {
  const file = join(folder, "pay.tgz");
  const cluster = withProcess(shop(), "a line of the log\n");
  const ran = await bundle(cluster, ["-n", "pay", "-O", file]);
  expect(ran.code).toBe(0);
  expect(ran.errors).toContain(`${file} will have:\n  pay/hpa/billing\n`);
  const files = await filesOf(file);
  expect(Object.keys(files)).toEqual([
    "version.json",
    "apiservices.json",
    "objects/pay/hpa-billing/object.json",
    "objects/pay/hpa-billing/scale.json",
    "objects/pay/hpa-billing/recomputed.json",
    "objects/pay/hpa-billing/recomputed.record.json",
    expect.stringMatching(/^metrics\/metrics\.k8s\.io\.v1beta1\.namespaces\.pay\.pods/),
    "namespaces/pay/events.json",
    "findings.json",
    "processes/plimsoll/plimsoll-autoscaler-0/flags.json",
    "processes/plimsoll/plimsoll-autoscaler-0/autoscaler.log",
    "processes/plimsoll/plimsoll-autoscaler-0/metrics.txt",
    "missing.txt",
    "manifest.json",
  ]);
  expect(files["namespaces/pay/events.json"]).toContain("New size: 3");
  expect(files["namespaces/pay/events.json"]).not.toContain("old");
  expect(files["apiservices.json"]).toContain('"caBundle": "sha256:');
  expect(files["missing.txt"]).toContain("recorded decisions and shadow: ");
  expect(files["missing.txt"]).toContain("the flags of kube-controller-manager: there is no pod");
  const manifest = JSON.parse(files["manifest.json"] ?? "") as {
    files: { path: string; bytes: number; sha256: string }[];
  };
  for (const { path, bytes, sha256 } of manifest.files) {
    const content = Buffer.from(files[path] ?? "");
    expect([path, content.length, createHash("sha256").update(content).digest("hex")]).toEqual([
      path,
      bytes,
      sha256,
    ]);
  }
  const record = decodeRecord(files["objects/pay/hpa-billing/recomputed.record.json"] ?? "");
  expect(replay(record).decision.desiredReplicas).toBe(record.result.decision.desiredReplicas);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test("values of environments, foreign annotations and tokens in flags are in no file", async () => {
  const file = join(folder, "secrets.tgz");
  const cluster = withProcess(shop(), `Authorization: Bearer ${token}\n`);
  expect((await bundle(cluster, ["-n", "pay", "-O", file, "--include-pods"])).code).toBe(0);
  const files = await filesOf(file);
  expect(files["namespaces/pay/pods.json"]).toContain("billing-0");
  expect(files["objects/pay/hpa-billing/object.json"]).toContain("autoscaling.plimsoll.dev/mode");
  const all = JSON.stringify(files);
  expect(all).not.toContain(canary);
  expect(all).not.toContain("eyJ");
  expect(all).not.toContain("last-applied");
});

test("what a metrics API responded is in it, also where the server has protobuf", async () => {
  const file = join(folder, "responses.tgz");
  const cluster = shop();
  const { client, access } = cluster.connection({ nowMs: () => nowMs, after: () => () => undefined });
  // Whoever reads protobuf has what was read; the request returns nothing.
  const request = async <T>(sent: KubeRequest): Promise<T> => {
    const body = await client.request<T>(sent);
    return sent.readProtobuf === undefined ? body : (undefined as T);
  };
  const connect = () => Promise.resolve({ client: { ...client, request }, access });
  expect((await run(cluster, ["bundle", "-n", "pay", "-O", file], { connect })).code).toBe(0);
  const [responses = ""] = Object.entries(await filesOf(file))
    .filter(([path]) => path.startsWith("metrics/metrics.k8s.io"))
    .map(([, content]) => content);
  expect(responses).toContain('"300m"');
});

test("nor are headers of probes, options of volumes, and commands of pods", async () => {
  const file = join(folder, "pods.tgz");
  const cluster = shop();
  cluster.put({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "odd", namespace: "pay" },
    ...({
      spec: {
        volumes: [
          { name: "a", csi: { driver: "x", volumeAttributes: { share: canary } } },
          { name: "b", flexVolume: { driver: "x", options: { share: canary } } },
        ],
        containers: [
          {
            name: "app",
            command: ["sh", "-c", `DB_PASSWORD=${canary} run`],
            args: ["--db-password", canary, "-p", canary],
            readinessProbe: { httpGet: { httpHeaders: [{ name: "X-Key", value: canary }] } },
          },
        ],
      },
    } as object),
  });
  expect((await bundle(cluster, ["-n", "pay", "-O", file, "--include-pods"])).code).toBe(0);
  const pods = (await filesOf(file))["namespaces/pay/pods.json"] ?? "";
  expect(pods).toContain('"X-Key"');
  expect(pods).not.toContain(canary);
});

test("labels keep their values, whatever their names are", async () => {
  const file = join(folder, "labels.tgz");
  const cluster = shop();
  const labels = { env: "prod", data: "eu", args: "x" };
  cluster.put({ apiVersion: "v1", kind: "Pod", metadata: { name: "labeled", namespace: "pay", labels } });
  expect((await bundle(cluster, ["-n", "pay", "-O", file, "--include-pods"])).code).toBe(0);
  const pods = JSON.parse((await filesOf(file))["namespaces/pay/pods.json"] ?? "[]") as {
    metadata: { name: string; labels: unknown };
  }[];
  expect(pods.find(({ metadata }) => metadata.name === "labeled")?.metadata.labels).toEqual(labels);
});

test("pods that have the label of plimsoll without being it are read in a bounded number", async () => {
  const file = join(folder, "many.tgz");
  const cluster = shop();
  for (let index = 0; index < 60; index++) {
    cluster.put({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: `p${index}`, namespace: "pay", labels: { "app.kubernetes.io/name": "plimsoll" } },
      ...({ spec: { containers: [] } } as object),
    });
  }
  expect((await bundle(cluster, ["-n", "pay", "-O", file])).code).toBe(0);
  const files = await filesOf(file);
  expect(Object.keys(files).filter((path) => path.endsWith("/flags.json"))).toHaveLength(50);
  expect(files["missing.txt"]).toContain("the pods of plimsoll: 50 of 60 are in the bundle");
});

test("the findings are there when the only object of all namespaces is in another than the current one", async () => {
  const file = join(folder, "other.tgz");
  expect((await bundle(shop(), ["-A", "-O", file])).code).toBe(0);
  expect(Object.keys(await filesOf(file))).toContain("findings.json");
});

test("long names have a file each, and are replaced in its path too", async () => {
  const [one, other] = ["a", "b"].map((end) => `${"long-".repeat(50)}xx${end}`);
  const cluster = fakeCluster();
  for (const name of [one ?? "", other ?? ""])
    putWorkload(cluster, { namespace: "pay", name, replicas: 1, status: statusOf(1, { cpu: 60 }) });
  const file = join(folder, "long.tgz");
  const { out } = await bundle(cluster, ["-n", "pay", "-O", file, "-o", "json"]);
  const { files } = JSON.parse(out) as { files: { path: string }[] };
  const paths = files.map(({ path }) => path);
  expect(new Set(paths).size).toBe(paths.length);
  expect(paths.filter((path) => path.endsWith("/object.json"))).toHaveLength(2);
  for (const path of paths) for (const part of path.split("/")) expect(part.length).toBeLessThanOrEqual(255);
  await bundle(cluster, ["-n", "pay", "-O", file, "--force", "--redact", "names"]);
  expect(Object.keys(await filesOf(file)).join()).not.toContain("long-");
});

test.each([
  ["a JSON Web Token", `odd ${token}`],
  ["a PEM block", "-----BEGIN PRIVATE KEY-----"],
])("%s that came through fails the bundle, and no file is left", async (what, line) => {
  const file = join(folder, "leak.tgz");
  const ran = await bundle(withProcess(shop(), `${line}\n`), ["-n", "pay", "-O", file]);
  expect([ran.code, ran.out]).toEqual([1, ""]);
  expect(ran.errors).toContain(
    `error: processes/plimsoll/plimsoll-autoscaler-0/autoscaler.log has ${what}: no bundle was written\n`,
  );
  expect(ran.errors).not.toContain(line);
  expect([existsSync(file), existsSync(`${file}.part`)]).toEqual([false, false]);
});

test("what may not be read is in missing.txt with the reason, and the rest is there", async () => {
  const file = join(folder, "denied.tgz");
  const cluster = shop();
  cluster.deny(/\/events$|\/scale$|apiservices/);
  const ran = await bundle(cluster, ["billing", "-n", "pay", "-O", file, "-o", "json"]);
  expect(ran.code).toBe(0);
  expect(schemaErrors("bundle.v1", ran.out)).toBeNull();
  const document = JSON.parse(ran.out) as {
    schema: string;
    files: object[];
    missing: { what: string; reason: string }[];
  };
  expect(document.schema).toBe("plimsoll/bundle/v1");
  const missing = document.missing.map(({ what }) => what);
  expect(missing).toEqual(
    expect.arrayContaining([
      "the APIServices",
      "the scale of Deployment billing of pay/billing",
      "the events of pay",
    ]),
  );
  expect((await filesOf(file))["missing.txt"]).toContain("is forbidden");
});

test("--redact names replaces names everywhere, each by the same word", async () => {
  const file = join(folder, "redacted.tgz");
  const cluster = withProcess(shop(), "scaled pay/billing\n");
  expect((await bundle(cluster, ["-n", "pay", "-O", file, "--redact", "names"])).code).toBe(0);
  const files = await filesOf(file);
  expect(JSON.stringify(files)).not.toMatch(/(?<![a-z0-9])(?:pay|billing)(?![a-z0-9])/);
  expect(files["processes/plimsoll/plimsoll-autoscaler-0/autoscaler.log"]).toBe(
    "scaled namespace-1/autoscaler-1\n",
  );
  expect(files["objects/namespace-1/hpa-autoscaler-1/object.json"]).toContain('"name": "autoscaler-1"');
});

test("a file that is there is replaced with --force only", async () => {
  const file = join(folder, "there.tgz");
  await writeFile(file, "mine");
  const refused = await bundle(shop(), ["-n", "pay", "-O", file]);
  expect([refused.code, refused.out]).toEqual([1, ""]);
  expect(refused.errors).toContain(
    `${file} is there already: name another file with -O, or replace it with --force`,
  );
  expect(await readFile(file, "utf8")).toBe("mine");
  expect((await bundle(shop(), ["-n", "pay", "-O", file, "--force"])).code).toBe(0);
});

test.each([
  [["shp"], 'no HorizontalPodAutoscaler or WorkloadAutoscaler "shp" in namespace "default"'],
  [["-n", "empty"], 'no HorizontalPodAutoscaler or WorkloadAutoscaler in namespace "empty"'],
  [["billing", "-A"], "-A shows the objects of all namespaces"],
  [["-n", "pay", "--since", "soon"], "--since soon is no duration"],
  [["-n", "pay", "-O", "/nowhere/x.tgz"], "cannot write /nowhere/x.tgz"],
])("what it cannot do ends with 1: %j", async (args, message) => {
  const ran = await bundle(shop(), args);
  expect([ran.code, ran.out]).toEqual([1, ""]);
  expect(ran.errors).toContain(message);
});
