// The plan by which a cluster goes back, from what an API server has.

import type { KubeObject } from "@plimsoll/kube";
import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import type { ReleasePlanDocument } from "../../src/release/document.ts";
import { fakeCluster, run } from "./fake-cluster.ts";
import { schemaErrors } from "./schema-errors.ts";

type Cluster = ReturnType<typeof fakeCluster>;

const target = (name: string) => ({ apiVersion: "apps/v1", kind: "Deployment", name });
const external = {
  type: "External",
  external: { metric: { name: "queue" }, target: { type: "AverageValue", averageValue: "10" } },
};

type Stored = KubeObject & { readonly spec: object };

function wla(name: string, spec: object, more: object = {}): Stored {
  return {
    apiVersion: "autoscaling.plimsoll.dev/v1alpha1",
    kind: "WorkloadAutoscaler",
    metadata: { name, namespace: "default" },
    spec: { scaleTargetRef: target(name), minReplicas: 1, maxReplicas: 9, ...spec },
    ...more,
  };
}

function hpa(name: string, annotations: Readonly<Record<string, string>> = {}, of = name): Stored {
  return {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name, namespace: "default", annotations },
    spec: { scaleTargetRef: target(of), minReplicas: 2, maxReplicas: 9, metrics: [external] },
  };
}

function cluster(objects: readonly KubeObject[], version = "v1.37.1"): Cluster {
  const fake = fakeCluster({ version });
  fake.put(...objects);
  for (const list of ["/api/v1/services", "/apis/apiregistration.k8s.io/v1/apiservices"])
    fake.reply(list, { kind: "List", metadata: {}, items: [] });
  return fake;
}

const program = (args: readonly string[]): Stored => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: {
    name: "plimsoll-autoscaler",
    namespace: "plimsoll",
    labels: { "app.kubernetes.io/part-of": "plimsoll", "app.kubernetes.io/component": "autoscaler" },
  },
  spec: { replicas: 2, template: { spec: { containers: [{ args }] } } },
});

function scale(fake: Cluster, name: string, replicas: number): void {
  fake.reply(`/apis/apps/v1/namespaces/default/deployments/${name}/scale`, {
    metadata: { name, namespace: "default" },
    spec: { replicas },
    status: { replicas },
  });
}

async function planned(fake: Cluster, ...flags: readonly string[]) {
  const ran = await run(fake, ["release", "plan", "-o", "json", ...flags]);
  expect(ran.errors).toBe("");
  const document = JSON.parse(ran.out) as ReleasePlanDocument;
  expect(await schemaErrors("release-plan.v1", document)).toEqual([]);
  return { code: ran.code, document, titles: document.steps.map(({ title }) => title) };
}

function commandsOf({ steps }: ReleasePlanDocument, title: string): readonly string[] {
  return steps.find((step) => step.title === title)?.commands ?? [];
}

/** The manifests that a step creates. */
function createdBy(document: ReleasePlanDocument, title: string): readonly unknown[] {
  const command = commandsOf(document, title).find((text) => text.includes("<<'MANIFESTS'\n")) ?? "";
  const [, text = ""] = /<<'MANIFESTS'\n([^]*)MANIFESTS$/.exec(command) ?? [];
  return parseAllDocuments(text, { version: "1.1" }).map((one): unknown => one.toJS());
}

const creation = "Create the HorizontalPodAutoscalers of WorkloadAutoscalers";

test("what an HPA can say is carried over exactly, and nothing is reported", async () => {
  const behavior = { scaleDown: { stabilizationWindowSeconds: 60, tolerance: "200m" } };
  const fake = cluster([wla("shop", { metrics: [external], behavior, mode: "Active" })]);
  const { code, document } = await planned(fake);
  expect([code, document.differences]).toEqual([0, []]);
  expect(createdBy(document, creation)).toEqual([
    {
      apiVersion: "autoscaling/v2",
      kind: "HorizontalPodAutoscaler",
      metadata: { name: "shop", namespace: "default" },
      spec: {
        scaleTargetRef: target("shop"),
        minReplicas: 1,
        maxReplicas: 9,
        metrics: [external],
        behavior,
      },
    },
  ]);
});

test("text that YAML 1.1 would take for other values stays text", async () => {
  const spec = {
    metrics: [
      {
        ...external,
        external: {
          metric: { name: "e0", selector: { matchLabels: { on: "yes", "1e3": "MANIFESTS\nMANIFESTS\n" } } },
          target: { type: "AverageValue", averageValue: "1e3" },
        },
      },
    ],
  };
  const { document } = await planned(cluster([wla("shop", spec)]));
  expect(createdBy(document, creation)).toMatchObject([{ spec }]);
});

interface Lost {
  readonly spec: object;
  readonly paths: readonly string[];
  readonly version?: string;
}

test.each<Lost>([
  { spec: { tuning: { syncPeriodSeconds: 5 } }, paths: ["spec.tuning.syncPeriodSeconds"] },
  { spec: { tuning: { tolerance: "0.2" } }, paths: ["spec.tuning"] },
  { spec: { tuning: { tolerance: "0.2" }, behavior: {} }, paths: [] },
  { spec: { tuning: { tolerance: "0.2" } }, paths: ["spec.tuning.tolerance"], version: "v1.34.0" },
  {
    spec: { behavior: { scaleUp: { tolerance: "0.2" } } },
    paths: ["spec.behavior.scaleUp.tolerance"],
    version: "v1.34.0",
  },
  { spec: { tuning: { upscaleDelaySeconds: 60 } }, paths: ["spec.tuning.upscaleDelaySeconds"] },
  { spec: { schedules: [{ name: "x" }] }, paths: ["spec.schedules"] },
  { spec: { minReplicas: 0 }, paths: ["spec.minReplicas"], version: "v1.36.0" },
  { spec: { minReplicas: 0 }, paths: [] },
  { spec: { mode: "Paused" }, paths: ["spec.mode"] },
  { spec: { mode: "Paused", pause: { until: "2020-01-01T00:00:00Z" } }, paths: [] },
  { spec: { mode: "Shadow" }, paths: ["spec.mode"] },
  {
    spec: { metrics: [{ ...external, onMetricFailure: { policy: "Ignore" } }] },
    paths: ["spec.metrics[0].onMetricFailure"],
  },
])("named as not carried over: %j", async ({ spec, paths, version }) => {
  const fake = cluster([wla("shop", { metrics: [external], ...spec })], version);
  const { code, document } = await planned(fake);
  expect(document.differences.map(({ path }) => path)).toEqual(paths);
  expect(code).toBe(paths.length > 0 ? 2 : 0);
});

test("no HPA is made where one scales the target, and none without metrics", async () => {
  const fake = cluster([
    wla("shop", { metrics: [external] }),
    hpa("other", {}, "shop"),
    wla("hours", { schedules: [{ name: "x" }] }),
  ]);
  const { document, titles } = await planned(fake);
  expect(titles).not.toContain(creation);
  expect(document.objects.map(({ object, becomes }) => `${object}: ${becomes}`)).toEqual([
    "wla/shop: hpa/other, which is there",
    "wla/hours: nothing",
  ]);
});

test("a name that another HPA has is not taken", async () => {
  const fake = cluster([wla("shop", { metrics: [external] }), hpa("shop", {}, "elsewhere")]);
  const { document } = await planned(fake);
  expect(createdBy(document, creation)).toMatchObject([{ metadata: { name: "shop-2" } }]);
  expect(document.differences.map(({ path }) => path)).toEqual(["metadata.name"]);
});

test("a target that was scaled to zero keeps the condition that lets it start again", async () => {
  const condition = { type: "ScaledToZero", status: "True", reason: "ScaledToZero", message: "it is" };
  const status = { status: { conditions: [condition] } };
  const fake = cluster([wla("shop", { minReplicas: 0, metrics: [external] }, status)]);
  scale(fake, "shop", 0);
  const on = await planned(fake);
  expect(commandsOf(on.document, creation).at(-1)).toContain("--subresource=status");
  expect(commandsOf(on.document, creation).at(-1)).toContain('"type":"ScaledToZero","status":"True"');
  const off = await planned(fake, "--hpa-scale-to-zero=off");
  expect(commandsOf(off.document, creation)).toHaveLength(1);
  expect(commandsOf(off.document, "Start targets that have no replica")).toEqual([
    "kubectl -n default scale deployments.apps/shop --replicas=1",
  ]);
});

test("of managed HPAs the marks are removed, moved bounds are put back, and the controller is named", async () => {
  const saved = '{"by":"hours","own":{"minReplicas":1},"set":{"minReplicas":2}}';
  const bounds = { scaleTargetRef: { kind: "HorizontalPodAutoscaler", name: "shop" }, schedules: [{}] };
  const fake = cluster([
    program(["--manage-hpas=annotated"]),
    hpa("shop", {
      "autoscaling.plimsoll.dev/managed": "true",
      "autoscaling.plimsoll.dev/schedule-bounds": saved,
    }),
    hpa("foreign"),
    wla("hours", bounds),
  ]);
  const { document, titles } = await planned(fake, "--context=it's");
  expect(titles).toEqual([
    "Save what is there",
    "Stop the autoscaler",
    "Put back the bounds that schedules moved",
    "Remove the marks of managed HorizontalPodAutoscalers",
    "Switch the built-in controller on",
    "Look whether the built-in controller scales each",
    "Remove the programs",
  ]);
  const kubectl = String.raw`kubectl --context 'it'\''s'`;
  expect(commandsOf(document, "Put back the bounds that schedules moved")).toEqual([
    `${kubectl} -n default patch hpa shop --type=merge -p '{"metadata":{"annotations":{"autoscaling.plimsoll.dev/schedule-bounds":null}},"spec":{"minReplicas":1}}'`,
    `${kubectl} -n default patch wla hours --type=merge -p '{"metadata":{"finalizers":null}}'`,
    `${kubectl} -n default delete wla hours --cascade=orphan`,
  ]);
  expect(document.steps[1]?.undo.commands).toEqual([
    `${kubectl} -n plimsoll scale deployment/plimsoll-autoscaler --replicas=2`,
  ]);
  expect(document.objects.map(({ object }) => object)).toEqual(["hpa/shop", "wla/hours"]);
});

test("as text, what is no command is a comment", async () => {
  const fake = cluster([program([]), wla("shop", { metrics: [external], tuning: { syncPeriodSeconds: 5 } })]);
  const { code, out } = await run(fake, ["release", "plan"]);
  expect(code).toBe(2);
  const outside = out.replaceAll(/<<'MANIFESTS'\n[^]*?\nMANIFESTS$/gm, "");
  expect(outside.split("\n").filter((line) => !/^(# ?.*|kubectl .*)?$/.test(line))).toEqual([]);
  expect(out).toContain(
    "# Not carried over, and what happens instead:\n#   default/wla/shop spec.tuning.syncPeriodSeconds: ",
  );
});

test.each([
  ["there is no such Service", ["--metrics-service=monitoring/x"]],
  ["is no NAMESPACE/NAME: write such as monitoring/prometheus-adapter", ["--metrics-service=x"]],
])("an error says: %s", async (message, flags) => {
  const { code, errors } = await run(cluster([]), ["release", "plan", ...flags]);
  expect(code).toBe(1);
  expect(errors).toContain(message);
});

test("without anything of Plimsoll it says so, and what may not be read is an error", async () => {
  const fake = cluster([hpa("shop")]);
  expect(await run(fake, ["release", "plan"])).toEqual({
    code: 0,
    out: "",
    errors: "nothing to give back: nothing of Plimsoll is in this cluster\n",
  });
  fake.deny(/deployments$/);
  expect(await run(fake, ["release", "plan"])).toMatchObject({
    code: 1,
    errors: expect.stringContaining("deployments is forbidden"),
  });
});
