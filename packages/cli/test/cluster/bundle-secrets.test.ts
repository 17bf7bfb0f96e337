// No secret is in a bundle.
import { join } from "node:path";
import { testFolder } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { bundle, canary, filesOf, pemKey, shop, token, withProcess } from "./bundle-rig.ts";
import { putWorkload, statusOf } from "./workload.ts";

test("values of environments, foreign annotations and tokens in flags are in no file", async () => {
  const file = join(testFolder(), "secrets.tgz");
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

test("nor are headers of probes, options of volumes, and commands of pods", async () => {
  const file = join(testFolder(), "pods.tgz");
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
  const file = join(testFolder(), "labels.tgz");
  const cluster = shop();
  const labels = { env: "prod", data: "eu", args: "x" };
  cluster.put({ apiVersion: "v1", kind: "Pod", metadata: { name: "labeled", namespace: "pay", labels } });
  expect((await bundle(cluster, ["-n", "pay", "-O", file, "--include-pods"])).code).toBe(0);
  const pods = JSON.parse((await filesOf(file))["namespaces/pay/pods.json"] ?? "[]") as {
    metadata: { name: string; labels: unknown };
  }[];
  expect(pods.find(({ metadata }) => metadata.name === "labeled")?.metadata.labels).toEqual(labels);
});

test("whatever looks like a secret in an object, the bundle is written without it", async () => {
  const file = join(testFolder(), "tenant.tgz");
  const cluster = shop();
  const inside = JSON.stringify({ key: pemKey, twice: JSON.stringify({ token }) });
  putWorkload(cluster, {
    namespace: "pay",
    name: "mallory",
    replicas: 3,
    usage: "300m",
    status: statusOf(3, { cpu: 60 }),
    metadata: {
      annotations: {
        "autoscaling.plimsoll.dev/a": pemKey,
        "autoscaling.plimsoll.dev/b": inside,
        [`autoscaling.plimsoll.dev/${token}`]: Buffer.from(pemKey).toString("base64"),
      },
    },
  });
  for (const odd of [pemKey, token])
    cluster.put({
      apiVersion: "v1",
      kind: "Event",
      metadata: { name: `mallory.${odd.length}`, namespace: "pay" },
      ...({ involvedObject: { name: "mallory" }, message: odd, reason: odd } as object),
    });
  const ran = await bundle(cluster, ["-n", "pay", "-O", file, "--redact", "names"]);
  expect(ran.code).toBe(0);
  const files = await filesOf(file);
  expect(JSON.stringify([files, ran])).not.toMatch(/MIIB|eyJ|LS0tLS1CRUdJTi|-----BEGIN/);
  expect(files["missing.txt"]).toMatch(
    /part of objects\/namespace-1\/hpa-autoscaler-2\/object\.json: hidden: text that looks like a PEM block, in line \d+, and 2 more/,
  );
});

test("--redact names replaces names everywhere, each by the same word", async () => {
  const file = join(testFolder(), "redacted.tgz");
  const cluster = withProcess(shop(), "scaled pay/billing\n");
  expect((await bundle(cluster, ["-n", "pay", "-O", file, "--redact", "names"])).code).toBe(0);
  const files = await filesOf(file);
  expect(JSON.stringify(files)).not.toMatch(/(?<![a-z0-9])(?:pay|billing)(?![a-z0-9])/);
  expect(files["processes/plimsoll/plimsoll-autoscaler-0/autoscaler.log"]).toBe(
    "scaled namespace-1/autoscaler-1\n",
  );
  expect(files["objects/namespace-1/hpa-autoscaler-1/object.json"]).toContain('"name": "autoscaler-1"');
});
