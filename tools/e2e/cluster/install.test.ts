import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createScenario } from "@plimsoll/demo";
import { runToEnd, until } from "@plimsoll/testbed";
import { afterAll, afterEach, beforeAll, expect, inject, test } from "vitest";
import { parse, stringify } from "yaml";
import { builtInHpa, example, gaugeRules, pace } from "./fixture.ts";
import { chart, type OperatorsCluster, openOperatorsPage, operatorsCluster, succeeded } from "./operator.ts";
import { watchForOutages } from "./outage.ts";
import type { Page } from "./page.ts";

let cluster: OperatorsCluster;
let page: Page;

beforeAll(async () => {
  cluster = await operatorsCluster({
    loads: createScenario("fast").streams.map(({ load }) => ({ ...load, points: load.points.slice(0, 1) })),
    workloads: example("workloads.yaml"),
  });
  page = openOperatorsPage("install.md", cluster);
  // A Prometheus that has been there for a while.
  const query = encodeURIComponent(
    'count(rate(container_cpu_usage_seconds_total{namespace="default"}[5m])) >= 4',
  );
  await until("Prometheus to know the pods", async () => {
    const response = await fetch(`${cluster.prometheusUrl}/api/v1/query?query=${query}`);
    const { data } = (await response.json()) as { readonly data: { readonly result: readonly unknown[] } };
    return data.result.length > 0 || undefined;
  });
});

afterAll(async () => {
  page?.close();
  await cluster?.stop();
});

/** What went wrong, for a test that fails. */
afterEach(({ task }) => {
  if (task.result?.state !== "fail") return;
  const logs = [...cluster.logs()].map(([name, lines]) =>
    [name, ...lines.slice(-5).map((line) => line.slice(0, 300))].join("\n"),
  );
  console.log([...logs, ...cluster.troubles.slice(-10).map(String)].join("\n\n"));
});

test("by helm: from nothing to a first metric, and an autoscaler that reads it", async () => {
  await page.shell(page.commandsWith("helm install plimsoll"));
  const printed = await page.shell(page.commandsWith("/pods/*/cpu_usage"));
  const { items } = JSON.parse(printed.slice(printed.indexOf("{"))) as {
    readonly items: readonly { readonly describedObject: { readonly name: string } }[];
  };
  expect(items.some(({ describedObject }) => describedObject.name.startsWith("api-"))).toBe(true);
  await cluster.startControllerManager(builtInHpa(pace));
  await page.shell(page.commandsWith("kind: HorizontalPodAutoscaler"));
  // The pods of router have no load on their cpu, so there is nothing to scale; that it can be read is what counts.
  await until("the autoscaler to read the metric", () => isActive("router") || undefined);
});

test("its pods run with the rights of their own accounts, which are not those of an administrator", async () => {
  for (const name of ["plimsoll-metrics-adapter", "plimsoll-autoscaler"]) {
    const account = `--as=system:serviceaccount:plimsoll:${name}`;
    const may = (...args: readonly string[]) =>
      cluster.kubectl("auth", "can-i", account, ...args).then(
        (text) => text.trim() === "yes",
        () => false,
      );
    expect(await may("*", "*", "--all-namespaces")).toBe(false);
    expect(await may("get", "secrets", "-n", "kube-system")).toBe(false);
    expect(await may("list", "secrets", "-n", "plimsoll")).toBe(false);
    expect(await may("create", "pods", "-n", "default")).toBe(false);
    expect(await may("patch", "apiservices/v1.apps")).toBe(false);
    expect(await may("update", "secrets/plimsoll-metrics-adapter-tls", "-n", "plimsoll")).toBe(
      name.endsWith("adapter"),
    );
  }
  const refusals = [...cluster.logs().values()].flat().filter((line) => /forbidden/i.test(line));
  expect(refusals).toEqual([]);
});

test("a removed caBundle comes back by itself", async () => {
  const name = "v1beta1.custom.metrics.k8s.io";
  const patch = '{"spec":{"caBundle":null}}';
  const before = await cluster.kubectl("get", "apiservice", name, "-o", "jsonpath={.spec.caBundle}");
  await cluster.kubectl("patch", "apiservice", name, "--type=merge", "-p", patch);
  const after = await until("a caBundle", async () => {
    const text = await cluster.kubectl("get", "apiservice", name, "-o", "jsonpath={.spec.caBundle}");
    return text || undefined;
  });
  expect(after).toBe(before);
  await cluster.kubectl("wait", "--for=condition=Available", "--timeout=90s", `apiservice/${name}`);
});

test("an APIService that another client gives to another Service is left to it", async () => {
  const name = "v1beta2.custom.metrics.k8s.io";
  const give = (service: string, caBundle: string) =>
    cluster.kubectl(
      "patch",
      "apiservice",
      name,
      "--type=merge",
      "-p",
      JSON.stringify({ spec: { service: { name: service }, caBundle } }),
    );
  const ownBundle = await cluster.kubectl("get", "apiservice", name, "-o", "jsonpath={.spec.caBundle}");
  await give("another", "");
  const report = /belongs to another Service and is left alone/;
  await until("the adapter to say so", () =>
    [...cluster.logs().values()].flat().find((line) => report.test(line)),
  );
  expect(await cluster.kubectl("get", "apiservice", name, "-o", "jsonpath={.spec.caBundle}")).toBe("");
  await give("plimsoll-metrics-adapter", "");
  await until("its caBundle", async () => {
    const text = await cluster.kubectl("get", "apiservice", name, "-o", "jsonpath={.spec.caBundle}");
    return text === ownBundle || undefined;
  });
});

test("a certificate is replaced without an outage", async () => {
  const name = "v1beta1.custom.metrics.k8s.io";
  const bundle = async () => {
    const text = await cluster.kubectl("get", "apiservice", name, "-o", "jsonpath={.spec.caBundle}");
    return Buffer.from(text, "base64").toString();
  };
  const before = await bundle();
  const path = "/apis/custom.metrics.k8s.io/v1beta1/namespaces/default/pods/*/cpu_usage";
  const watch = watchForOutages(cluster.client, path);
  await page.shell(page.commandsWith("rollout restart"));
  await watch.stop();
  expect(watch.failures).toEqual([]);
  expect(watch.answers).toBeGreaterThan(50);
  const after = await bundle();
  expect(after).toContain(before);
  expect(after.length).toBeGreaterThan(before.length);
});

test("removed by helm, then what GitOps applies: rendered without a cluster", async () => {
  await page.shell(page.commandsWith("helm uninstall plimsoll"));
  const values = ["-f", join(page.desk, "values.yaml"), "-f", join(cluster.folder, "machine.yaml")];
  const rendered = succeeded(await cluster.helm("template", "gitops", chart, "-n", "plimsoll", ...values));
  expect(rendered).not.toMatch(/caBundle: \S|tls\.key/);
  const file = join(cluster.folder, "rendered.yaml");
  writeFileSync(file, rendered);
  await apply(file);
  await cluster.kubectl(
    "-n",
    "plimsoll",
    "rollout",
    "status",
    "deployment/gitops-plimsoll-metrics-adapter",
    "--timeout=90s",
  );
  await cluster.kubectl(
    "wait",
    "--for=condition=Available",
    "--timeout=90s",
    "apiservice/v1beta1.custom.metrics.k8s.io",
  );
  const secretOf = () =>
    cluster.kubectl(
      "-n",
      "plimsoll",
      "get",
      "secret",
      "gitops-plimsoll-metrics-adapter-tls",
      "-o",
      "jsonpath={.data}",
    );
  const before = await secretOf();
  // The next synchronisation changes nothing.
  await apply(file);
  expect(await secretOf()).toBe(before);
  await cluster.kubectl("delete", "-f", file, "--wait=false");
});

test("by kustomize", async () => {
  await page.shell(page.commandsWith("mkdir -p plimsoll"));
  writeFileSync(join(page.desk, "plimsoll/rules.yaml"), readFileSync(gaugeRules, "utf8"));
  await page.shell(page.commandsWith("behavior: replace"));
  runAsPods(join(page.desk, "plimsoll/kustomization.yaml"));
  const built = succeeded(
    await runToEnd(inject("deployTools").kustomize, ["build", join(page.desk, "plimsoll")]),
  );
  expect(built).toContain("packets_per_second");
  await page.shell(page.commandsWith("kubectl kustomize plimsoll"));
  const path = "/apis/custom.metrics.k8s.io/v1beta1/namespaces/default/pods/*/packets-per-second";
  const items = await until("values of the metric", async () => {
    const list = await cluster.client.request<{ readonly items: readonly object[] }>({ path });
    return list.items.length > 0 ? list.items : undefined;
  });
  expect(items).not.toEqual([]);
  await cluster.kubectl("-n", "plimsoll", "rollout", "status", "deployment/autoscaler", "--timeout=90s");
});

async function apply(file: string): Promise<void> {
  await cluster.kubectl("apply", "--server-side", "--force-conflicts", "-f", file);
}

/** Adds what lets processes of one machine act as pods to an overlay. */
function runAsPods(file: string): void {
  const { patches, ...rest } = parse(readFileSync(file, "utf8")) as { readonly patches: readonly object[] };
  const own = ["metrics-adapter", "autoscaler"].map((name) => ({
    target: { kind: "Deployment", name },
    patch: stringify([
      { op: "add", path: "/spec/template/spec/containers/0/args/-", value: "--bind-address=$(POD_IP)" },
      ...(name === "autoscaler"
        ? []
        : [
            {
              op: "add",
              path: "/spec/template/spec/containers/0/env/-",
              value: { name: "POD_IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } },
            },
            {
              op: "replace",
              path: "/spec/template/spec/containers/0/env/0/value",
              value: cluster.prometheusUrl,
            },
            {
              op: "replace",
              path: "/spec/template/spec/containers/0/args/3",
              value: "--metrics-relist-interval=1s",
            },
          ]),
    ]),
  }));
  // Below 1024 is for root.
  const port = (path: string) => stringify([{ op: "replace", path, value: 8443 }]);
  const ports = [
    { target: { kind: "Service", name: "metrics-adapter" }, patch: port("/spec/ports/0/port") },
    { target: { kind: "APIService" }, patch: port("/spec/service/port") },
  ];
  writeFileSync(file, stringify({ ...rest, patches: [...patches, ...own, ...ports] }));
}

function isActive(name: string): boolean {
  const object = cluster.store.get("horizontalpodautoscalers.autoscaling", "default", name);
  const status = object?.status as { conditions?: readonly { type: string; status: string }[] } | undefined;
  return status?.conditions?.some((c) => c.type === "ScalingActive" && c.status === "True") === true;
}
