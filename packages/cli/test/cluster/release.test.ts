// The plan by which a cluster goes back, from what an API server has.

import { expect, test } from "vitest";
import { run } from "./fake-cluster.ts";
import {
  cluster,
  commandsOf,
  createdBy,
  external,
  hpa,
  planned,
  program,
  scale,
  target,
  wla,
} from "./release-rig.ts";

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
  const annotation = "/metadata/annotations/autoscaling.plimsoll.dev~1schedule-bounds";
  const kubectl = String.raw`kubectl --context 'it'\''s'`;
  expect(commandsOf(document, "Put back the bounds that schedules moved")).toEqual([
    `${kubectl} -n default patch hpa shop --type=json -p '${JSON.stringify([
      { op: "test", path: annotation, value: saved },
      { op: "remove", path: annotation },
      { op: "add", path: "/spec/minReplicas", value: 1 },
    ])}'`,
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
  const { code, out } = await run(fake, ["rollback", "plan"]);
  expect(code).toBe(2);
  const outside = out.replaceAll(/<<'MANIFESTS'\n[^]*?\nMANIFESTS$/gm, "");
  expect(outside.split("\n").filter((line) => !/^(# ?.*|(?:kubectl|mv|mkdir) .*)?$/.test(line))).toEqual([]);
  expect(out).toContain(
    "# Not converted, and what happens instead:\n#   default/wla/shop spec.tuning.syncPeriodSeconds: ",
  );
});

test.each([
  ["Service not found", ["--metrics-service=monitoring/x"]],
  ["must be NAMESPACE/NAME, such as monitoring/prometheus-adapter", ["--metrics-service=x"]],
])("an error says: %s", async (message, flags) => {
  const { code, errors } = await run(cluster([]), ["rollback", "plan", ...flags]);
  expect(code).toBe(1);
  expect(errors).toContain(message);
});

test("without anything of Plimsoll it says so, and what may not be read is an error", async () => {
  const fake = cluster([hpa("shop")]);
  expect(await run(fake, ["rollback", "plan"])).toEqual({
    code: 0,
    out: "",
    errors: "nothing to do: Plimsoll isn't in this cluster\n",
  });
  fake.deny(/deployments$/);
  expect(await run(fake, ["rollback", "plan"])).toMatchObject({
    code: 1,
    errors: expect.stringContaining("deployments is forbidden"),
  });
});
