import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runToEnd, until } from "@plimsoll/testbed";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { builtInHpa, gaugeRules, pace } from "./fixture.ts";
import {
  chart,
  type OperatorsCluster,
  onThisMachine,
  openOperatorsPage,
  operatorsCluster,
  succeeded,
} from "./operator.ts";
import type { Page } from "./page.ts";
import { objects } from "./release-objects.ts";
import { depthFor, followsQueue, queue, workload } from "./targets.ts";

const names = ["shop", "api", "batch", "worker"] as const;
const deployment = { apiVersion: "apps/v1", kind: "Deployment" };
const builtInController = "horizontal-pod-autoscaler";
const initial = { shop: 4, api: 4, batch: 4, worker: 0 };
const rules = parse(readFileSync(gaugeRules, "utf8")) as {
  readonly rules: readonly object[];
  readonly externalRules: readonly object[];
};

interface Step {
  readonly title: string;
  readonly commands: readonly string[];
  readonly undo: { readonly commands: readonly string[] };
}

interface Plan {
  readonly differences: readonly { readonly object: string; readonly path: string }[];
  readonly steps: readonly Step[];
}

let cluster: OperatorsCluster;
let page: Page;
let plan: Plan;
/** Replicas of each target whenever its object changed. */
const seen: (readonly [name: string, replicas: unknown])[] = [];

beforeAll(async () => {
  cluster = await operatorsCluster({
    loads: names.map((name) => queue(name, initial[name] === 0 ? 0 : depthFor(initial[name]))),
    workloads: names.map((name) => workload("Deployment", name)).join(""),
  });
  page = openOperatorsPage("go-back.md", cluster);
  const { prometheus, adapter, autoscaler } = onThisMachine(cluster.prometheusUrl);
  const own = { default: false, custom: rules.rules, external: rules.externalRules };
  const former = valuesFile("former", { prometheus, rules: own });
  await helm(
    "install",
    "prometheus-adapter",
    join(import.meta.dirname, "prometheus-adapter"),
    "--server-side=false",
    "-n",
    "monitoring",
    "--create-namespace",
    "-f",
    former,
    "--wait",
  );
  const values = valuesFile("ours", {
    prometheus,
    rules: own,
    crds: { cronHpa: true },
    // Both replicas say the same at once.
    adapter: { ...adapter, metricsResultMaxAge: "0s" },
    autoscaler: {
      ...autoscaler,
      extraArguments: [...autoscaler.extraArguments, ...pace],
      manageHpas: "annotated",
      cronHpa: { enabled: true },
      rbac: { hpaBounds: true },
      decisions: { apiService: { create: true } },
    },
  });
  await helm(
    "install",
    "plimsoll",
    chart,
    "-n",
    "plimsoll",
    "--create-namespace",
    "-f",
    values,
    "--take-ownership",
    "--force-conflicts",
    "--wait",
  );
  // As a person does: it is written once, and no client keeps it.
  const hpas = join(cluster.folder, "hpas.yaml");
  writeFileSync(hpas, ["shop", "api"].map((name) => followsQueue(name, deployment)).join(""));
  await cluster.kubectl("apply", "-f", hpas);
  await cluster.kubectl("annotate", "hpa", "shop", "api", "autoscaling.plimsoll.dev/managed=true");
  await until("the kinds to be served", () => cluster.apply(objects).then(() => true));
  await reach(initial);
  await until("the bounds to be moved", async () => (await boundsOf("api")) === "2 10" || undefined);
});

afterAll(async () => {
  page?.close();
  await cluster?.stop();
});

test("the plan names what cannot be carried over, and is text for a shell", async () => {
  const printed = await ended2(page.commandsWith("-o json"));
  plan = JSON.parse(printed) as Plan;
  expect(plan.differences.map(({ object, path }) => `${object} ${path}`)).toEqual([
    "wla/api-hours spec.schedules",
    "wla/batch spec.metrics[0].onMetricFailure",
    "wla/batch spec.schedules",
    "wla/batch spec.tuning.syncPeriodSeconds",
    "wla/batch spec.tuning",
    "wla/worker spec.tuning.syncPeriodSeconds",
    "wla/worker spec.tuning",
  ]);
  const text = await ended2(page.commandsWith("-o json").replace(" -o json", ""));
  const script = join(cluster.folder, "release.sh");
  writeFileSync(script, text);
  succeeded(await runToEnd("bash", ["-n", script]));
  // Each plan saves to a file of its own, which has the time in its name.
  const linesOf = (commands: string) => commands.replaceAll(/(?<=plimsoll-before-)\w+/g, "TIME").split("\n");
  const lines = linesOf(text);
  for (const command of plan.steps.flatMap(({ commands }) => commands))
    expect(lines).toEqual(expect.arrayContaining(linesOf(command)));
});

test("carried out by its commands, it changes the replicas of no target", async () => {
  cluster.store.subscribe(({ resource, object }) => {
    const { name, namespace } = object.metadata;
    if (resource === "deployments.apps" && namespace === "default")
      seen.push([name, (object["spec"] as { readonly replicas?: number }).replicas]);
  });
  for (const step of plan.steps) {
    if (step.title === "Switch the built-in controller on")
      await cluster.startControllerManager(builtInHpa(pace));
    else if (step.commands.length > 0) await page.shell(step.commands.join("\n"));
    // What a step says of its rollback is true, and the step can be done again.
    if (/^(Stop|Give|Create)/.test(step.title)) {
      await page.shell(step.undo.commands.join("\n"));
      await page.shell(step.commands.join("\n"));
    }
  }
  await reach(initial);
  expect(seen.filter(([name, replicas]) => replicas !== initial[name as keyof typeof initial])).toEqual([]);
  expect(await boundsOf("api")).toBe("1 10");
});

test("nothing of Plimsoll is left, and the metrics are the other Service's", async () => {
  const left = await cluster.kubectl("get", "crd,apiservice,clusterrole,clusterrolebinding", "-o", "name");
  // CronHorizontalPodAutoscalers are for the other controller.
  expect(left.split("\n").filter((name) => /plimsoll(?!-e2e)/.test(name))).toEqual([]);
  expect(left).toContain("cronhorizontalpodautoscalers");
  const inNamespace = await cluster.kubectl(
    "-n",
    "plimsoll",
    "get",
    "deployment,service,configmap,secret,role,rolebinding",
    "-o",
    "name",
  );
  expect(inNamespace.split("\n").filter((name) => name.includes("plimsoll"))).toEqual([]);
  const service = "jsonpath={.spec.service.namespace}";
  for (const group of ["custom", "external"])
    expect(await cluster.kubectl("get", "apiservice", `v1beta1.${group}.metrics.k8s.io`, "-o", service)).toBe(
      "monitoring",
    );
  const marks = await cluster.kubectl("get", "hpa", "-A", "-o", "jsonpath={.items[*].metadata.annotations}");
  expect(marks).not.toContain("autoscaling.plimsoll.dev");
});

test("the built-in controller scales each, from zero too", async () => {
  for (const name of names) cluster.load.set(`default/${name}`, depthFor(5), "queue");
  await reach({ shop: 5, api: 5, batch: 5, worker: 5 });
  for (const name of names) expect(await until("its event", () => scaledTo(name, 5))).toBe(builtInController);
  const again = JSON.parse(await page.shell(page.commandsWith("-o json"))) as Plan;
  expect(again.steps.map(({ title }) => title)).toEqual([
    "Save what is there",
    "Start kubernetes-cronhpa-controller",
  ]);
});

test("what was removed comes back from what was saved", async () => {
  for (const title of ["Remove the definitions", "Remove the programs", "Delete the WorkloadAutoscalers"])
    await page.shell(plan.steps.find((step) => step.title === title)?.undo.commands.join("\n") ?? "exit 1");
  const names = await cluster.kubectl(
    "get",
    "wla",
    "-n",
    "default",
    "-o",
    "jsonpath={.items[*].metadata.name}",
  );
  expect(names.split(" ")).toEqual(expect.arrayContaining(["batch", "worker"]));
  for (const name of ["metrics-adapter", "autoscaler"])
    await cluster.kubectl(
      "-n",
      "plimsoll",
      "rollout",
      "status",
      `deployment/plimsoll-${name}`,
      "--timeout=60s",
    );
  expect(await helm("status", "plimsoll", "-n", "plimsoll")).toContain("STATUS: deployed");
});

async function helm(...args: readonly string[]): Promise<string> {
  return succeeded(await cluster.helm(...args));
}

function valuesFile(name: string, values: object): string {
  const file = join(cluster.folder, `${name}.yaml`);
  writeFileSync(file, stringify(values));
  return file;
}

/** Runs a command that finds something. */
async function ended2(command: string): Promise<string> {
  const printed = await page.shell(`${command.trim()} || test $? = 2`);
  expect(printed).not.toBe("");
  return printed;
}

async function reach(wanted: Readonly<Record<string, number>>): Promise<void> {
  await until(
    JSON.stringify(wanted),
    () => {
      const counts = Object.fromEntries(Object.keys(wanted).map((name) => [name, replicas(name)]));
      if (JSON.stringify(counts) === JSON.stringify(wanted)) return true;
      throw new Error(`they have ${JSON.stringify(counts)}`);
    },
    { timeoutMs: 90_000 },
  );
}

function replicas(name: string): unknown {
  const object = cluster.store.get("deployments.apps", "default", name);
  return (object?.["spec"] as { readonly replicas?: number } | undefined)?.replicas;
}

function boundsOf(name: string): Promise<string> {
  return cluster.kubectl("get", "hpa", name, "-o", "jsonpath={.spec.minReplicas} {.spec.maxReplicas}");
}

/** Who wrote these replicas last, as its event says: of a target that was at zero, no field manager does. */
async function scaledTo(name: string, replicas: number): Promise<string | undefined> {
  const { items } = await cluster.client.request<{
    readonly items: readonly {
      readonly involvedObject: { readonly kind: string; readonly name: string };
      readonly message: string;
      readonly source: { readonly component?: string };
    }[];
  }>({ path: "/api/v1/namespaces/default/events" });
  return items
    .filter(({ message }) => message.startsWith(`New size: ${replicas};`))
    .find(({ involvedObject: { kind, name: of } }) => kind === "HorizontalPodAutoscaler" && of === name)
    ?.source.component;
}
