// Plans of clusters that another client writes to, and whose strings are not what they seem.
import { execFileSync } from "node:child_process";
import type { KubeObject } from "@plimsoll/kube";
import { expect, test } from "vitest";
import { run } from "./fake-cluster.ts";
import { cluster, commandsOf, external, hpa, planned, program, scale, wla } from "./release-rig.ts";

const boundsName = "autoscaling.plimsoll.dev/schedule-bounds";
const putBack = "Put back the bounds that schedules moved";

const schedules = "plimsoll-schedules";
const ownedBy = (manager: string, fieldsV1: object) => ({ manager, operation: "Apply", fieldsV1 });
const ofAnnotation = { "f:metadata": { "f:annotations": { [`f:${boundsName}`]: {} } } };

/** The saved bounds are 1 to 5, and schedules set 2 to 9. */
function movedHpa(spec: object, managedFields: readonly object[] = []): KubeObject {
  const saved = '{"by":"x","own":{"minReplicas":1,"maxReplicas":5},"set":{"minReplicas":2,"maxReplicas":9}}';
  const moved = hpa("shop", { [boundsName]: saved });
  const metadata = { ...moved.metadata, managedFields };
  return { ...moved, metadata, spec: { ...moved.spec, ...spec } } as KubeObject;
}

test.each<[string, KubeObject, Record<string, number>]>([
  ["no client wrote one", movedHpa({}), { minReplicas: 1, maxReplicas: 5 }],
  ["another client wrote one", movedHpa({ minReplicas: 3 }), { maxReplicas: 5 }],
  ["another client wrote both", movedHpa({ minReplicas: 3, maxReplicas: 12 }), {}],
  ["what was written is above the saved one", movedHpa({ minReplicas: 7 }), { maxReplicas: 7 }],
  [
    "another client applied the value that schedules had set",
    movedHpa({}, [
      ownedBy(schedules, { ...ofAnnotation, "f:spec": { "f:minReplicas": {} } }),
      ownedBy("kubectl", { "f:spec": { "f:maxReplicas": {} } }),
    ]),
    { minReplicas: 1 },
  ],
])(
  "moved bounds are put back, but for what another client wrote since: %s",
  async (_what, object, expected) => {
    const { document } = await planned(cluster([program([]), object]));
    const [, text = ""] = /-p '([^]*)'$/.exec(commandsOf(document, putBack)[0] ?? "") ?? [];
    const patch = JSON.parse(text) as readonly { op: string; path: string; value?: unknown }[];
    const fields = patch.flatMap(({ op, path, value }) =>
      op === "add" ? [[path.replace("/spec/", ""), value]] : [],
    );
    expect(Object.fromEntries(fields)).toEqual(expected);
  },
);

test("only our finalizer is taken away, also from an object that moves no bounds any more", async () => {
  const withFinalizers = (object: KubeObject, ...finalizers: readonly string[]): KubeObject => ({
    ...object,
    metadata: { ...object.metadata, finalizers } as KubeObject["metadata"],
  });
  const bounds = { scaleTargetRef: { kind: "HorizontalPodAutoscaler", name: "shop" }, schedules: [{}] };
  const fake = cluster([
    hpa("shop"),
    withFinalizers(wla("hours", bounds), "team.example/books", boundsName),
    withFinalizers(wla("former", { metrics: [external] }), boundsName),
    withFinalizers(wla("other", { metrics: [external] }), "team.example/books"),
  ]);
  const { document } = await planned(fake);
  expect(commandsOf(document, putBack)).toEqual([
    `kubectl -n default patch wla hours --type=merge -p '{"metadata":{"finalizers":["team.example/books"]}}'`,
    "kubectl -n default delete wla hours --cascade=orphan",
  ]);
  expect(commandsOf(document, "Delete the WorkloadAutoscalers")).toEqual([
    `kubectl -n default patch wla former --type=merge -p '{"metadata":{"finalizers":null}}'`,
    "kubectl -n default delete wla former --cascade=orphan",
    "kubectl -n default delete wla other --cascade=orphan",
  ]);
});

test("targets of one name and kind in two groups have replicas of their own", async () => {
  const other = { apiVersion: "apps.example.com/v1", kind: "Deployment", name: "shop" };
  const fake = cluster([wla("shop", { metrics: [external] }), wla("theirs", { scaleTargetRef: other })]);
  scale(fake, "shop", 3);
  const { document } = await planned(fake);
  expect(document.objects.map(({ object, replicas }) => [object, replicas])).toEqual([
    ["wla/shop", 3],
    ["wla/theirs", null],
  ]);
});

test("an APIService that is taken back has the labels and annotations that it had", async () => {
  const fake = cluster([program([]), hpa("shop")]);
  const theirs = {
    metadata: {
      name: "adapter",
      namespace: "monitoring",
      annotations: { "meta.helm.sh/release-name": "theirs" },
    },
  };
  fake.reply("/api/v1/services", { kind: "List", metadata: {}, items: [ours] });
  fake.reply("/api/v1/namespaces/monitoring/services/adapter", theirs);
  const former = { "meta.helm.sh/release-name": "plimsoll", "meta.helm.sh/release-namespace": "plimsoll" };
  const spec = { group: "external.metrics.k8s.io", service: { namespace: "monitoring", name: "adapter" } };
  fake.reply("/apis/apiregistration.k8s.io/v1/apiservices", {
    kind: "List",
    metadata: {},
    items: [{ metadata: { name: "v1beta1.external.metrics.k8s.io", annotations: former }, spec }],
  });
  const { document } = await planned(fake, "--metrics-service=monitoring/adapter");
  const [command = ""] = document.steps.find(({ title }) => title.startsWith("Give"))?.undo.commands ?? [];
  const [, patch = "{}"] = /-p '(.*)'$/.exec(command) ?? [];
  expect(JSON.parse(patch)).toMatchObject({
    metadata: {
      labels: { "app.kubernetes.io/managed-by": null },
      annotations: { ...former, "helm.sh/resource-policy": null },
    },
  });
});

test.each([[["--manage-hpas", "all"]], [["--x", "--manage-hpas=all"]]])(
  "an autoscaler that manages all HPAs is seen by %j",
  async (args) => {
    const { titles } = await planned(cluster([program(args), hpa("shop")]));
    expect(titles).toContain("Switch the built-in controller on");
  },
);

const ours = {
  metadata: {
    name: "adapter",
    namespace: "monitoring",
    labels: {
      "app.kubernetes.io/name": "prometheus-adapter",
      "app.kubernetes.io/part-of": "plimsoll",
      "app.kubernetes.io/component": "metrics-adapter",
    },
  },
};

test("the APIs are never given to a Service of Plimsoll, whatever its name", async () => {
  const fake = cluster([program([]), hpa("shop")]);
  fake.reply("/api/v1/services", { kind: "List", metadata: {}, items: [ours] });
  fake.reply("/api/v1/namespaces/monitoring/services/adapter", ours);
  const service = { namespace: "monitoring", name: "adapter" };
  const spec = { group: "external.metrics.k8s.io", service };
  fake.reply("/apis/apiregistration.k8s.io/v1/apiservices", {
    kind: "List",
    metadata: {},
    items: [{ metadata: { name: "v1beta1.external.metrics.k8s.io" }, spec }],
  });
  const { document, titles } = await planned(fake);
  expect(titles.filter((title) => title.startsWith("Give"))).toEqual([]);
  expect(document.notes.join()).toContain("metrics-adapter stays");
  const named = await run(fake, ["rollback", "plan", "--metrics-service=monitoring/adapter"]);
  expect(named.errors).toContain("--metrics-service monitoring/adapter is a Service of Plimsoll");
});

test.each([
  [[], false],
  [["--cron-hpa=true"], true],
])("the kind of another controller is removed only where jobs were run: %j", async (args, isRemoved) => {
  const fake = cluster([program(args)]);
  const crd = "cronhorizontalpodautoscalers.autoscaling.alibabacloud.com";
  fake.reply(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${crd}`, { metadata: { name: crd } });
  const { document } = await planned(fake);
  expect(commandsOf(document, "Remove the definitions")).toEqual(
    isRemoved ? [`kubectl delete crd ${crd}`] : [],
  );
});

test("MetricRules are named, and go with the adapter that serves them only", async () => {
  const crd = "metricrules.autoscaling.plimsoll.dev";
  const rule = { metadata: { name: "lag", namespace: "shop" }, spec: { type: "External", query: "x" } };
  const withRule = (objects: readonly KubeObject[]) => {
    const fake = cluster([program([]), ...objects]);
    fake.reply(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${crd}`, { metadata: { name: crd } });
    fake.reply("/apis/autoscaling.plimsoll.dev/v1alpha1/metricrules", {
      kind: "List",
      metadata: {},
      items: [rule],
    });
    return fake;
  };
  const { document, code } = await planned(withRule([]));
  expect(code).toBe(2);
  expect(document.differences).toMatchObject([{ object: "metricrule/lag", namespace: "shop", path: "spec" }]);
  expect(commandsOf(document, "Remove the definitions")).toEqual([`kubectl delete crd ${crd}`]);

  const kept = withRule([hpa("shop")]);
  kept.reply("/api/v1/services", { kind: "List", metadata: {}, items: [ours] });
  const spec = {
    group: "external.metrics.k8s.io",
    service: { namespace: "monitoring", name: "adapter" },
  };
  kept.reply("/apis/apiregistration.k8s.io/v1/apiservices", {
    kind: "List",
    metadata: {},
    items: [{ metadata: { name: "v1beta1.external.metrics.k8s.io" }, spec }],
  });
  const { document: staying } = await planned(kept);
  expect(staying.differences).toEqual([]);
  expect(commandsOf(staying, "Remove the definitions")).toEqual([]);
});

/** What a shell makes of the text, with a kubectl that prints its words and what it reads. */
function words(script: string): string {
  const kubectl = String.raw`kubectl() { printf '%s\n' "$@"; case "$*" in *"-f -"*) cat;; esac; }`;
  return execFileSync("bash", ["--norc", "-c", `${kubectl}\n${script}`], {
    encoding: "utf8",
    env: { PATH: process.env["PATH"] ?? "", LC_ALL: "C.UTF-8" },
  });
}

test.each([true, false])("no string of the cluster gets out of its quotes, UTF-8: %s", async (isUtf8) => {
  const hostile =
    "\u2019; echo pwned; \u2019\n'; echo pwned; '\u202e\u001b[2J$(echo pwned)`echo pwned`\u201c";
  const condition = { type: "ScaledToZero", status: "True", reason: "x", message: hostile };
  const object = wla(
    "shop",
    { minReplicas: 0, metrics: [external] },
    { status: { conditions: [condition] } },
  );
  const fake = cluster([
    { ...object, metadata: { ...object.metadata, annotations: { note: hostile } } },
    hpa("marked", {
      "autoscaling.plimsoll.dev/managed": hostile,
      "autoscaling.plimsoll.dev/reclaim": hostile,
    }),
    hpa("moved", { [boundsName]: hostile }),
  ]);
  scale(fake, "shop", 0);
  const { out } = await run(fake, ["rollback", "plan"], {
    terminal: { isTty: false, columns: undefined, isUtf8 },
  });
  for (const control of ["\u001b", "\u202e"]) expect(out).not.toContain(control);
  const said = words(out.replaceAll(/^(?:mkdir|mv) .*| > plimsoll-before\S+(?: &&)?$/gm, ""));
  expect(said.replaceAll(/echo pwned/g, "")).not.toContain("pwned");
  // What it says is what was meant.
  const status = /^--type=merge\n-p\n(\{"status".*)$/m.exec(said)?.[1] ?? "{}";
  expect(JSON.parse(status)).toMatchObject({ status: { conditions: [{ message: hostile }] } });
});
