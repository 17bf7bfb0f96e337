import { globSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { rules } from "@plimsoll/doctor";
import { Ajv } from "ajv";
import { expect, test } from "vitest";
import { terminals } from "../golden/terminals.ts";
import { apiServer, doctor } from "./api-server.ts";
import { putDeployment, putExample, putHpa } from "./example.ts";

function example() {
  const server = apiServer();
  putExample(server);
  server.deny(/verticalpodautoscalers/);
  return server;
}

const notChecked =
  "Not checked: PL-009 on 1 object (may not list verticalpodautoscalers); PL-023, PL-026, PL-049 (needs --prometheus); PL-025, PL-039 (no recorded decisions); PL-029 on 1 object (no recorded decisions)";

test("the example of the specification, as wide as it is", async () => {
  expect(await doctor(example(), ["-n", "pay"])).toEqual({
    code: 2,
    out: [
      "pay/billing  HorizontalPodAutoscaler -> Deployment/billing",
      "  ERROR PL-007  another manager sets the target's replicas",
      "        argocd-controller (Apply) owns .spec.replicas; it changed 40 -> 4 at 10:02, 10:12, 10:22",
      "        fix: leave spec.replicas out of the manifest, or ignore /spec/replicas for this Deployment",
      "  WARN  PL-030  at maxReplicas for 22m while 73 are proposed",
      "        queue_depth 2190 / 30 each; maxReplicas 40",
      `        fix: kubectl patch hpa billing -n pay --type=merge -p '{"spec":{"maxReplicas":80}}'`,
      `2 objects, 50 rules: 1 error, 1 warning. ${notChecked}`,
      "",
    ].join("\n"),
    err: "",
  });
});

test.each(terminals)("the example of the specification, on %s", async (name, terminal) => {
  const { out } = await doctor(example(), ["-n", "pay", "--color=never"], { terminal });
  await expect(out).toMatchFileSnapshot(`../golden/doctor-${name}.txt`);
});

test.each([80, 160])(
  "in %i columns every line fits but the commands, in ASCII where the terminal needs it",
  async (columns) => {
    const { out } = await doctor(example(), ["-n", "pay"], {
      terminal: { isTty: true, columns, isUtf8: false },
      env: { NO_COLOR: "1" },
    });
    const lines = out.split("\n").filter((line) => !line.includes("kubectl"));
    expect(lines.filter((line) => line.length > columns)).toEqual([]);
    expect(out).toMatch(/^\p{ASCII}*$/u);
    expect(out.replaceAll(/\s+/g, " ")).toContain(notChecked);
  },
);

test("JSON has each finding with its evidence, and what was skipped with the reason", async () => {
  const { code, out } = await doctor(example(), ["-n", "pay", "-o", "json"]);
  const document = JSON.parse(out);
  expect(code).toBe(2);
  expect(Object.keys(document)).toEqual([
    "schema",
    "at",
    "findings",
    "skipped",
    "checked",
    "notes",
    "errors",
  ]);
  expect(document).toMatchObject({
    schema: "plimsoll/doctor/v1",
    at: "2026-11-22T10:30:00Z",
    checked: { objects: 2, rules: 50 },
  });
  expect(document.findings[0]).toEqual({
    id: "PL-007",
    severity: "error",
    object: {
      kind: "HorizontalPodAutoscaler",
      resource: "horizontalpodautoscalers",
      namespace: "pay",
      name: "billing",
      uid: "uid-billing",
      target: { kind: "Deployment", name: "billing" },
    },
    title: "another manager sets the target's replicas",
    evidence: [
      {
        what: "argocd-controller (Apply)",
        value: "owns .spec.replicas",
        from: "Deployment pay/billing .metadata.managedFields",
      },
      {
        what: "it changed 40 -> 4",
        value: "at 10:02, 10:12, 10:22",
        from: "events of Deployment pay/billing",
      },
    ],
    fix: "leave spec.replicas out of the manifest, or ignore /spec/replicas for this Deployment",
    docs: "docs/doctor.md#pl-007",
  });
  expect(document.findings[1].command).toMatch(/^kubectl patch hpa billing /);
  expect(document.skipped).toContainEqual({
    id: "PL-009",
    reason: "may not list verticalpodautoscalers",
    objects: ["pay/mailer"],
  });
});

test.each([[["-n", "pay"]], [["billing", "absent", "-n", "pay"]]])(
  "the published schema describes doctor %j",
  async (args) => {
    const schema = JSON.parse(
      await readFile(new URL("../../schema/doctor.v1.json", import.meta.url), "utf8"),
    ) as object;
    const validate = new Ajv({ allErrors: true }).compile(schema);
    validate(JSON.parse((await doctor(example(), [...args, "-o", "json"])).out));
    expect(validate.errors ?? []).toEqual([]);
  },
);

test("wide adds where it was read and the page, name only the objects", async () => {
  const { out: wide } = await doctor(example(), ["-n", "pay", "-o", "wide"]);
  expect(wide).toContain("        from: events of Deployment pay/billing\n");
  expect(wide).toContain("        docs: docs/doctor.md#pl-030\n");
  expect((await doctor(example(), ["-n", "pay", "-o", "name"])).out).toBe("hpa/billing\n");
});

test.each([
  [["billing"], 2, "1 object, "],
  [["mailer"], 0, "no findings"],
  [["deploy/billing"], 2, "1 object, "],
  [["--only", "PL-030"], 0, "1 warning"],
  [["--only", "pl-030,PL-031", "--fail-on", "warn"], 2, "2 objects, 2 rules: 1 warning"],
  [["--skip", "PL-007", "--skip", "PL-030"], 0, "48 rules: no findings"],
  [["--fail-on", "info"], 2, "1 error"],
])("doctor %j ends with %i", async (args, code, text) => {
  const ended = await doctor(example(), ["-n", "pay", ...args]);
  expect([ended.code, ended.err]).toEqual([code, ""]);
  expect(ended.out).toContain(text);
});

test.each([
  [
    ["--only", "PL-7"],
    /^error: --only PL-7 is no rule; did you mean PL-0\d7\? \(plimsoll doctor --list shows them\)\n$/,
  ],
  [["--only", "PL-001", "--skip", "PL-001"], /^error: --only and --skip leave no rule\n$/],
  [["-A", "billing"], /^error: -A shows the objects of all namespaces/],
  [["-f", "x.yaml", "-A"], /^error: -f examines the objects of the files: it takes neither names nor -A\n$/],
  [["--fail-on", "fatal"], /^error: option '--fail-on <SEVERITY>' argument 'fatal' is invalid/],
  [["-n", "empty"], /^error: no HorizontalPodAutoscaler or WorkloadAutoscaler in namespace "empty"\n$/],
  [["-n", "pay", "-l", "a=,,"], /^error: -l a=,, is no label selector: /],
  [
    ["biling", "-n", "pay"],
    /^error: no HorizontalPodAutoscaler or WorkloadAutoscaler "biling" in namespace "pay"; did you mean "billing"\?/,
  ],
])("doctor %j cannot do its work", async (args, error) => {
  const ended = await doctor(example(), args);
  expect([ended.code, ended.out]).toEqual([1, ""]);
  expect(ended.err).toMatch(error);
});

test("an object that is not there fails the command, and the others are shown", async () => {
  const ended = await doctor(example(), ["mailer", "biling", "-n", "pay"]);
  expect(ended.code).toBe(1);
  expect(ended.out).toContain("1 object, 50 rules: no findings");
  expect(ended.err).toMatch(/^error: biling: no HorizontalPodAutoscaler/);
});

test("each list is read once, in pages, whatever the objects and rules, and eight requests are under way at most", async () => {
  const server = example();
  for (let index = 0; index < 30; index++) {
    putHpa(server, `team-${index}`, "billing");
    putDeployment(server, { namespace: `team-${index}`, name: "billing", replicas: 2 });
  }
  const { out } = await doctor(server, ["-A"]);
  expect(out).toContain("32 objects, 50 rules");
  const lists = server.requests.filter((path) =>
    /\/(pods|deployments|events|horizontalpodautoscalers|resourcequotas|nodes)( |$)/.test(path),
  );
  expect(lists).toEqual([...new Set(lists)]);
  expect(lists.filter((path) => path.includes("/namespaces/") && !path.includes("metrics.k8s.io"))).toEqual(
    [],
  );
  expect(lists).toContain("/api/v1/pods from 60");
  expect(server.underWay.most).toBeLessThanOrEqual(8);
});

test("what may not be read leaves its rules out, with the reason, and nothing passes for it", async () => {
  const server = example();
  server.deny(
    /\/(pods|events|nodes|deployments|leases|apiservices|queue_depth)$|external.metrics.k8s.io\/v1beta1$/,
  );
  const { code, out } = await doctor(server, ["-n", "pay", "-o", "json"]);
  const { findings, skipped } = JSON.parse(out);
  const reasons = Object.fromEntries(
    skipped.map(({ id, reason }: { id: string; reason: string }) => [id, reason]),
  );
  expect(reasons).toMatchObject({
    "PL-002": "may not list pods",
    "PL-003": "may not list deployments",
    "PL-012": "may not list pods",
    "PL-018": "may not list apiservices",
    "PL-035": "may not list nodes",
    "PL-037": "may not list events",
    "PL-046": "may not list leases",
  });
  // The target itself may be read one by one.
  expect([code, findings.map(({ id }: { id: string }) => id)]).toEqual([2, ["PL-007", "PL-030"]]);
});

test("without the right to list the objects there is nothing to examine", async () => {
  const server = example();
  server.deny(/horizontalpodautoscalers/);
  expect(await doctor(server, ["-n", "pay"])).toMatchObject({
    code: 1,
    out: "",
    err: "error: may not list horizontalpodautoscalers\n",
  });
});

test("names and messages of the cluster do not control the terminal", async () => {
  const server = apiServer();
  const name = "a\u001b[31m\u202e<img onerror>";
  putHpa(server, "pay", "billing", {
    spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name }, maxReplicas: 3 },
  });
  const { out } = await doctor(server, ["-n", "pay"]);
  expect(out).toContain("PL-010");
  expect(out).not.toContain("\u001b");
  expect(out).not.toContain("\u202e");
});

test("nor names of manifests, as names or in commands to type", async () => {
  const name = "a\u001b[31m; touch /tmp/x #";
  const manifest = JSON.stringify({
    apiVersion: "autoscaling.plimsoll.dev/v1alpha1",
    kind: "WorkloadAutoscaler",
    metadata: { name },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
      minReplicas: 3,
      maxReplicas: 3,
    },
  });
  const readText = () => Promise.resolve(manifest);
  for (const format of ["name", "table"]) {
    const { out } = await doctor(apiServer(), ["-f", "-", "-o", format, "--only=PL-031"], { readText });
    expect(out).toContain("a\\x1b[31m");
    expect(out).not.toContain("\u001b");
  }
});

test("a retired group of the target is named, with the one that has the kind", async () => {
  const server = apiServer();
  const scaleTargetRef = { apiVersion: "extensions/v1beta1", kind: "Deployment", name: "billing" };
  putHpa(server, "pay", "billing", { spec: { scaleTargetRef, maxReplicas: 3 } });
  const { code, out } = await doctor(server, ["-n", "pay", "--only=PL-010"]);
  expect(code).toBe(2);
  expect(out).toContain("extensions/v1beta1 is no longer served; there is apps/v1 Deployment");
  expect(out).toContain("fix: set scaleTargetRef.apiVersion to apps/v1");
});

test("--list shows all rules, without a cluster", async () => {
  const connect = () => Promise.reject(new Error("no cluster"));
  const { code, out } = await doctor(apiServer(), ["--list"], { connect });
  expect([code, out.split("\n").length]).toEqual([0, 52]);
  expect(out).toMatch(/^RULE {4}SEVERITY {2}FINDS\nPL-001 {2}error/);
  const { rules: listed, schema } = JSON.parse(
    (await doctor(apiServer(), ["--list", "-o", "json"], { connect })).out,
  );
  expect([schema, listed.length]).toEqual(["plimsoll/doctor-rules/v1", rules.length]);
});

const root = join(import.meta.dirname, "../../../..");
const textOf = (path: string): string => readFileSync(join(root, path), "utf8");

/** Files of objects; others are files of our programs, of Helm, and parts of objects. */
const manifests = globSync("examples/**/*.yaml", { cwd: root }).filter(
  // KEDA makes it, of the ScaledObject beside it, and owns it then.
  (path) => /^kind: /m.test(textOf(path)) && !path.endsWith("keda-hpa.yaml"),
);

test.each(
  manifests
    .filter((path) => /^kind: (?:HorizontalPod|Workload)Autoscaler$/m.test(textOf(path)))
    .map((path) => path.split("/").slice(0, 2).join("/"))
    .filter((path, n, all) => all.indexOf(path) === n),
)("-f finds nothing wrong with %s, without a cluster", async (folder) => {
  const readText = (path: string) => readFile(join(root, path), "utf8");
  const files = manifests.filter((path) => path.startsWith(`${folder}/`));
  const { code, err } = await doctor(apiServer(), ["-f", ...files], {
    readText,
    connect: () => Promise.reject(new Error("no cluster")),
  });
  expect([code, err]).toEqual([0, "note: 37 rules need a cluster and were not checked\n"]);
});

test("-f takes limits for requests where there are none, as the API server does with pods", async () => {
  const container = "name: main, resources: {limits: {cpu: 1}}";
  const file = `
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: shop}
spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: shop}, minReplicas: 2, maxReplicas: 4}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: shop}
spec: {template: {spec: {containers: [{${container}}], initContainers: [{${container}, restartPolicy: Always}]}}}
`;
  const found = async (text: string) => {
    const { out } = await doctor(apiServer(), ["-f", "all.yaml", "-o", "json"], {
      readText: () => Promise.resolve(text),
    });
    return JSON.parse(out).findings.map(({ id }: { id: string }) => id);
  };
  expect(await found(file)).toEqual([]);
  expect(await found(file.replaceAll("cpu: 1", "memory: 1"))).toEqual(["PL-014"]);
});

test("-f finds what manifests show", async () => {
  const target = "scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: shop}";
  const file = `
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: shop}
spec: {${target}, minReplicas: 2, maxReplicas: 4}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: shop-2}
spec: {${target}, minReplicas: 2, maxReplicas: 2}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: shop}
spec: {template: {metadata: {labels: {app: shop}}, spec: {containers: [{name: main}]}}}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: shop}
spec: {minAvailable: 2, selector: {matchLabels: {app: shop}}}
`;
  const { code, out } = await doctor(apiServer(), ["-f", "all.yaml", "-o", "json"], {
    readText: () => Promise.resolve(file),
  });
  const found = JSON.parse(out).findings.map(
    ({ id, object }: { id: string; object: { name: string } }) => `${object.name} ${id}`,
  );
  expect([code, found]).toEqual([
    2,
    [
      "shop PL-001",
      "shop PL-014",
      "shop PL-036",
      "shop-2 PL-001",
      "shop-2 PL-014",
      "shop-2 PL-036",
      "shop-2 PL-031",
    ],
  ]);
  const broken = await doctor(apiServer(), ["-f", "all.yaml"], {
    readText: () => Promise.resolve(`${file}---\nkind: [\n`),
  });
  expect([broken.code, broken.err]).toEqual([
    1,
    expect.stringMatching(/^note: .*\nerror: all\.yaml:\d+:\d+: document 5: is not YAML/),
  ]);
});

const adapterLabels = {
  "app.kubernetes.io/part-of": "plimsoll",
  "app.kubernetes.io/component": "metrics-adapter",
};
const readyz = "/api/v1/namespaces/plimsoll/services/https:adapter:443/proxy/readyz";

/** The example with a MetricRule that is refused, and our adapter, which says more than "ok". */
function withAdapter(): ReturnType<typeof example> {
  const server = example();
  server.put(
    {
      apiVersion: "autoscaling.plimsoll.dev/v1alpha1",
      kind: "MetricRule",
      metadata: { name: "rate", namespace: "pay", creationTimestamp: "2026-11-22T08:00:00Z" },
      spec: { type: "Pods", query: 'rate(a{namespace="other"}[1m])' },
      status: {
        conditions: [
          { type: "Accepted", status: "False", reason: "NamespaceMatcher", message: "remove the matcher" },
        ],
      },
    },
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "adapter", namespace: "plimsoll", labels: adapterLabels },
      spec: { ports: [{ port: 443 }] },
    },
  );
  server.replyText(
    readyz,
    "[+]ping ok\n[+]metrics ok\n[+]backends ok: backends that are down: keda: it does not respond\nreadyz check passed\n",
  );
  return server;
}

test("a MetricRule that is refused, and a backend of the adapter that is down", async () => {
  const { out } = await doctor(withAdapter(), ["-n", "pay", "--only", "PL-047,PL-048"]);
  expect(out).toContain("the MetricRule is refused: NamespaceMatcher");
  expect(out).toContain("remove the matcher");
  expect(out).toContain("a backend of the metrics adapter is down");
  expect(out).toContain("backends that are down: keda: it does not respond");
});

test("where the adapter's Service may not be reached, the rule is skipped with the reason", async () => {
  const server = withAdapter();
  server.deny(/proxy/);
  const { out } = await doctor(server, ["-n", "pay", "--only", "PL-048"]);
  expect(out).toContain(`PL-048 (may not get ${readyz})`);
});
