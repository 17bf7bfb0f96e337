// MetricRules on a real API server and a real Prometheus: two hostile namespaces beside a victim.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect, type KubeClient } from "@plimsoll/kube";
import { kubeconfigText } from "@plimsoll/sandbox";
import { type PlimsollProcess, startPlimsoll, until } from "@plimsoll/testbed";
import { fileFolder } from "@plimsoll/testbed/world";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { gaugeRules, shipped, type TemporaryCluster, temporaryCluster } from "./fixture.ts";
import { requestToken } from "./rights.ts";
import { queue } from "./targets.ts";

const folder = fileFolder();
const crd = "crds/metricrules.autoscaling.plimsoll.dev.yaml";
const api = "/apis/autoscaling.plimsoll.dev/v1alpha1";

let cluster: TemporaryCluster;
let adapter: PlimsollProcess;
let metrics: KubeClient;

interface Rule {
  readonly status?: {
    readonly query?: string;
    readonly series?: number;
    readonly sample?: { readonly value: string };
    readonly conditions: readonly { type: string; status: string; reason: string; message: string }[];
  };
}

const hostile = ["hostile", "other-hostile"];
const namespaces = ["victim", ...hostile];
const jobs = (namespace: string, value: number) => ({ ...queue("jobs", value), namespace });

beforeAll(async () => {
  cluster = await temporaryCluster({
    loads: [jobs("victim", 5), jobs("hostile", 7), jobs("other-hostile", 9)],
    workloads: namespaces
      .map((name) => `apiVersion: v1\nkind: Namespace\nmetadata: { name: ${name} }\n`)
      .join("---\n"),
  });
  const { stack } = cluster;
  await stack.apply(shipped(crd), shipped("kustomize/components/metric-rules/rbac.yaml"));
  await until("MetricRules to be served", async () => {
    await stack.client.request({ path: `${api}/metricrules` });
    return true;
  });
  const token = await requestToken(stack.client, "plimsoll", "metrics-adapter");
  const { url, caPem } = stack.address;
  const own = join(folder, "adapter.kubeconfig");
  writeFileSync(own, kubeconfigText({ server: url, caPem, user: { token } }), { mode: 0o600 });
  adapter = await startPlimsoll("metrics-adapter", [
    `--config=${gaugeRules}`,
    `--prometheus-url=${stack.prometheus.url}`,
    `--lister-kubeconfig=${own}`,
    "--bind-address=127.0.0.1",
    "--secure-port=0",
    `--cert-dir=${join(folder, "certificates")}`,
    "--metrics-relist-interval=1s",
    "--metrics-max-age=10s",
    "--metrics-result-max-age=0s",
    "--metric-rules=true",
  ]);
  const ca = readFileSync(join(folder, "certificates/ca.crt"), "utf8");
  const { users } = parse(readFileSync(stack.kubeconfig, "utf8")) as { users: readonly { user: object }[] };
  const admin = join(folder, "admin.kubeconfig");
  const user = users[0]?.user ?? {};
  writeFileSync(admin, kubeconfigText({ server: `https://localhost:${adapter.port}`, caPem: ca, user }), {
    mode: 0o600,
  });
  metrics = await connect({ kubeconfig: admin, userAgent: "plimsoll-e2e" });
});

afterAll(async () => {
  await metrics?.close();
  await adapter?.stop();
  await cluster?.stop();
});

async function put(namespace: string, name: string, spec: object): Promise<void> {
  const path = `${api}/namespaces/${namespace}/metricrules/${name}`;
  await cluster.stack.client.request({
    method: "PATCH",
    path,
    query: { fieldManager: "plimsoll-e2e", force: true },
    contentType: "application/apply-patch+yaml",
    body: { apiVersion: "autoscaling.plimsoll.dev/v1alpha1", kind: "MetricRule", metadata: { name }, spec },
  });
}

const read = (namespace: string, name: string): Promise<Rule> =>
  cluster.stack.client.request<Rule>({ path: `${api}/namespaces/${namespace}/metricrules/${name}` });

async function statusOf(namespace: string, name: string, wanted: string): Promise<Rule["status"]> {
  return await until(`${name} to be ${wanted}`, async () => {
    const { status } = await read(namespace, name);
    return status?.conditions.some(({ reason }) => reason === wanted) === true ? status : undefined;
  });
}

async function external(namespace: string, metric: string, selector = ""): Promise<readonly string[]> {
  const path = `/apis/external.metrics.k8s.io/v1beta1/namespaces/${namespace}/${metric}`;
  const query = selector === "" ? {} : { labelSelector: selector };
  const { items } = await metrics.request<{ items: readonly { value: string }[] }>({ path, query });
  return items.map(({ value }) => value);
}

describe("the definition", () => {
  const spec = (rest: object) => ({ type: "External", query: "up", ...rest });
  const object = { resource: "ingresses.networking.k8s.io", label: "ingress" };

  test.each([
    ["an unknown type", spec({ type: "Node" }), /spec\.type: Unsupported value/],
    ["no query", { type: "External" }, /spec\.query: Required value/],
    ["a blank query", spec({ query: " " }), /query must not be blank/],
    ["a query without end", spec({ query: "x".repeat(4_097) }), /Too long/],
    [
      "an object of another type",
      spec({ object }),
      /type Object needs object, and no other type may have it/,
    ],
    ["no object", spec({ type: "Object" }), /type Object needs object/],
    ["a label of pods of another type", spec({ podLabel: "pod" }), /podLabel belongs to type Pods/],
    ["a metric that is not a name", spec({ metric: "a/b" }), /spec\.metric: Invalid value/],
  ])("refuses %s, and says why", async (_, refused, message) => {
    await expect(put("victim", "refused", refused)).rejects.toThrow(message);
  });

  test("has a short name and columns", async () => {
    await put("victim", "short", spec({ query: "vector(1)" }));
    await statusOf("victim", "short", "Resolved");
    const [header = "", row = ""] = (await cluster.kubectl("get", "mr", "-n", "victim")).split("\n");
    expect(header.trim().split(/\s{2,}/)).toEqual([
      "NAME",
      "TYPE",
      "ACCEPTED",
      "RESOLVED",
      "SERIES",
      "SAMPLE",
      "AGE",
    ]);
    expect(row).toMatch(/^short\s+External\s+True\s+True\s/);
  });
});

test("who edits a namespace may write its rules", async () => {
  const can = (role: string, verb: string) =>
    cluster.kubectl(
      "auth",
      "can-i",
      verb,
      "metricrules.autoscaling.plimsoll.dev",
      "-n",
      "victim",
      `--as=${role}-user`,
    );
  for (const role of ["edit", "view"])
    await cluster.kubectl(
      "create",
      "rolebinding",
      `e2e-${role}`,
      "-n",
      "victim",
      `--clusterrole=${role}`,
      `--user=${role}-user`,
    );
  expect(
    await until("editors to write", async () =>
      (await can("edit", "create")).startsWith("yes") ? "yes" : undefined,
    ),
  ).toBe("yes");
  expect(await can("view", "list")).toMatch(/^yes/);
  await expect(can("view", "create")).rejects.toThrow("can-i create");
});

test("a rule is served within two seconds of its creation and of each change, with its status", async () => {
  await put("victim", "constant", { type: "External", query: "vector(41)" });
  await until("the first value", async () => (await external("victim", "constant"))[0] === "41" || undefined);
  await put("victim", "constant", { type: "External", query: "vector(42)" });
  await until(
    "the second value",
    async () => (await external("victim", "constant"))[0] === "42" || undefined,
    {
      everyMs: 50,
    },
  );
  const status = await until("the status", async () => {
    const { status: now } = await read("victim", "constant");
    return now?.sample?.value === "42" ? now : undefined;
  });
  expect(status).toMatchObject({ query: "vector(42)", series: 1 });
  await expect(external("hostile", "constant")).rejects.toMatchObject({ code: 404 });
});

describe("two hostile namespaces beside a victim", () => {
  beforeAll(async () => {
    for (const namespace of namespaces)
      await put(namespace, "depth", { type: "External", query: "queue_depth" });
    await until(
      "the victim's value",
      async () => (await external("victim", "depth"))[0] === "5" || undefined,
    );
  });

  test("each namespace gets its own series only", async () => {
    const values = async () => await Promise.all(namespaces.map((name) => external(name, "depth")));
    const wanted = JSON.stringify([["5"], ["7"], ["9"]]);
    await until("the values", async () => JSON.stringify(await values()) === wanted || undefined);
    expect(await values()).toEqual([["5"], ["7"], ["9"]]);
    expect(await external("victim", "depth", "queue=jobs")).toEqual(["5"]);
    await expect(external("victim", "depth", "region=eu")).rejects.toMatchObject({ code: 400 });
  });

  test.each([
    ["a matcher of its own", 'queue_depth{namespace="victim"}', "NamespaceMatcher"],
    ["no matcher where it may be empty", '{namespace=~".*",__name__="queue_depth"}', "NamespaceMatcher"],
    ["a quoted label", '{"queue_depth","namespace"="victim"}', "NamespaceMatcher"],
    ["info()", "info(queue_depth)", "Unsupported"],
    ["half a query", 'queue_depth} or queue_depth{queue="jobs"', "Unparsable"],
    ["a range of a month", "max_over_time(queue_depth[30d])", "TooCostly"],
    ["a subquery of 1 s steps", "max_over_time(queue_depth[1d:1s])", "TooCostly"],
  ])("%s is refused", async (_, query, reason) => {
    await put("hostile", "attempt", { type: "External", query });
    const status = await statusOf("hostile", "attempt", reason);
    expect(status?.query).toBeUndefined();
    await expect(external("hostile", "attempt")).rejects.toMatchObject({ code: 404 });
  });

  test("a series that is labelled as the victim's is not served, and names of other namespaces have no value", async () => {
    const query = 'label_replace(queue_depth, "namespace", "victim", "", "")';
    await put("hostile", "forged", { type: "External", query });
    await statusOf("hostile", "forged", "Resolved");
    expect(await external("hostile", "forged")).toEqual([]);
  });

  test("rules at the limit, expensive and asked for all the time, cost the victim no answer", async () => {
    const expensive = "max_over_time(sum by (queue) (rate(queue_depth[1h]))[2h:3s])";
    for (const namespace of hostile)
      for (let index = 0; index < 60; index += 1)
        await put(namespace, `flood-${index}`, { type: "External", query: `${expensive} + ${index}` });
    await statusOf("hostile", "flood-59", "LimitExceeded");
    const ending = new AbortController();
    const flood = hostile.flatMap((namespace) =>
      Array.from({ length: 40 }, (_, index) => ask(namespace, `flood-${index}`, ending.signal)),
    );
    for (let index = 0; index < 40; index += 1) expect(await external("victim", "depth")).toEqual(["5"]);
    ending.abort();
    await Promise.all(flood);
  });

  async function ask(namespace: string, metric: string, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) await external(namespace, metric).catch(() => []);
  }
});

test("rules of the file are served when the definition is deleted, and the adapter stays ready", async () => {
  await cluster.stack.client.request({
    method: "DELETE",
    path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/metricrules.autoscaling.plimsoll.dev",
  });
  await until(
    "the rules to be gone",
    async () =>
      await external("victim", "depth").then(
        () => undefined,
        (error: { code?: number }) => error.code === 404 || undefined,
      ),
  );
  expect(await external("victim", "queue_depth")).toEqual(["5"]);
  for await (const chunk of await metrics.stream({ path: "/readyz" }))
    expect(new TextDecoder().decode(chunk)).toBe("ok");
});
