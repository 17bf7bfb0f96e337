// `plimsoll bundle`: what is in the file, what is not, and what never is.
import { createHash } from "node:crypto";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { decodeRecord, replay } from "@plimsoll/core";
import type { KubeRequest } from "@plimsoll/kube";
import { testFolder } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { schemaErrors } from "../published-schema.ts";
import { bundle, filesOf, pemKey, shop, token, withProcess } from "./bundle-rig.ts";
import { fakeCluster, nowMs, run } from "./fake-cluster.ts";
import { putWorkload, statusOf } from "./workload.ts";

test("a bundle has what a report of a problem needs, with hashes, and lists it first", async () => {
  const file = join(testFolder(), "pay.tgz");
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

test("what a metrics API responded is in it, also where the server has protobuf", async () => {
  const file = join(testFolder(), "responses.tgz");
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

test("pods that have the label of plimsoll without being it are read in a bounded number", async () => {
  const file = join(testFolder(), "many.tgz");
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
  const file = join(testFolder(), "other.tgz");
  expect((await bundle(shop(), ["-A", "-O", file])).code).toBe(0);
  expect(Object.keys(await filesOf(file))).toContain("findings.json");
});

test("long names have a file each, and are replaced in its path too", async () => {
  const [one, other] = ["a", "b"].map((end) => `${"long-".repeat(50)}xx${end}`);
  const cluster = fakeCluster();
  for (const name of [one ?? "", other ?? ""])
    putWorkload(cluster, { namespace: "pay", name, replicas: 1, status: statusOf(1, { cpu: 60 }) });
  const file = join(testFolder(), "long.tgz");
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
  ["a JSON Web Token", `odd ${token} end`, "[hidden: a JSON Web Token] end"],
  ["a PEM block", `odd ${pemKey} end`, "[hidden: a PEM block] end"],
  ["a PEM block", `odd ${Buffer.from(pemKey).toString("base64")}`, "[hidden: a PEM block]"],
])("%s in a log is hidden, and the bundle says where", async (what, line, shown) => {
  const file = join(testFolder(), `leak-${line.length}.tgz`);
  const ran = await bundle(withProcess(shop(), `first\n${line}\nlast\n`), ["-n", "pay", "-O", file]);
  expect(ran.code).toBe(0);
  const files = await filesOf(file);
  const path = "processes/plimsoll/plimsoll-autoscaler-0/autoscaler.log";
  expect(files[path]).toBe(`first\nodd ${shown}\nlast\n`);
  expect(files["missing.txt"]).toContain(
    `part of ${path}: hidden: text that looks like ${what}, in line 2\n`,
  );
  expect(JSON.stringify([files, ran])).not.toContain("MIIB");
});

test("what may not be read is in missing.txt with the reason, and the rest is there", async () => {
  const file = join(testFolder(), "denied.tgz");
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

test("a file that is there is replaced with --force only", async () => {
  const file = join(testFolder(), "there.tgz");
  await writeFile(file, "mine");
  const refused = await bundle(shop(), ["-n", "pay", "-O", file]);
  expect([refused.code, refused.out]).toEqual([1, ""]);
  expect(refused.errors).toContain(`${file} exists: use another file with -O, or replace it with --force`);
  expect(await readFile(file, "utf8")).toBe("mine");
  expect((await bundle(shop(), ["-n", "pay", "-O", file, "--force"])).code).toBe(0);
});

test.each([
  [["shp"], 'no HorizontalPodAutoscaler or WorkloadAutoscaler "shp" in namespace "default"'],
  [["-n", "empty"], 'no HorizontalPodAutoscaler or WorkloadAutoscaler in namespace "empty"'],
  [["nosuch", "-A"], '"nosuch" not found in any namespace'],
  [["-n", "pay", "--since", "soon"], "--since soon is not a duration"],
  [["-n", "pay", "-O", "/nowhere/x.tgz"], "cannot write /nowhere/x.tgz"],
])("what it cannot do ends with 1: %j", async (args, message) => {
  const ran = await bundle(shop(), args);
  expect([ran.code, ran.out]).toEqual([1, ""]);
  expect(ran.errors).toContain(message);
});
