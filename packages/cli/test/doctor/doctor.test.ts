import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { rules } from "@plimsoll/doctor";
import { Ajv } from "ajv";
import { expect, test } from "vitest";
import { terminals } from "../golden/terminals.ts";
import { doctor, doctorServer } from "./api-server.ts";
import { example, manifests, root, textOf } from "./doctor-rig.ts";
import { putDeployment, putHpa } from "./example.ts";

const notChecked =
  "Not checked: PL-009 on 1 object (may not list verticalpodautoscalers); PL-023, PL-026, PL-049, PL-053 (needs --prometheus); PL-025, PL-039 (no recorded decisions); PL-029 on 1 object (no recorded decisions)";

test("the example of the specification, as wide as it is", async () => {
  expect(await doctor(example(), ["-n", "pay"])).toEqual({
    code: 2,
    out: [
      "pay/billing  HorizontalPodAutoscaler -> Deployment/billing",
      "  ERROR PL-007  another manager sets the target's replicas",
      "        argocd-controller (Apply) owns .spec.replicas; it changed 40 -> 4 at 10:02, 10:12, 10:22",
      "        fix: remove spec.replicas from the manifest, or ignore /spec/replicas for this Deployment",
      "  WARN  PL-030  at maxReplicas for 22m while metrics call for 73",
      "        queue_depth 2190 / 30 each; maxReplicas 40",
      `        fix: kubectl patch hpa billing -n pay --type=merge -p '{"spec":{"maxReplicas":80}}'`,
      `2 objects, 58 rules: 1 error, 1 warning. ${notChecked}`,
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
    checked: { objects: 2, rules: 58 },
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
    fix: "remove spec.replicas from the manifest, or ignore /spec/replicas for this Deployment",
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
  [["--skip", "PL-007", "--skip", "PL-030"], 0, "56 rules: no findings"],
  [["--fail-on", "info"], 2, "1 error"],
])("doctor %j ends with %i", async (args, code, text) => {
  const ended = await doctor(example(), ["-n", "pay", ...args]);
  expect([ended.code, ended.err]).toEqual([code, ""]);
  expect(ended.out).toContain(text);
});

test.each([
  [
    ["--only", "PL-7"],
    /^error: --only PL-7 is not a rule; did you mean PL-0\d7\? \(plimsoll doctor --list shows them\)\n$/,
  ],
  [["--only", "PL-001", "--skip", "PL-001"], /^error: --only and --skip exclude every rule\n$/],
  [["-A", "nosuch"], /"nosuch" not found in any namespace/],
  [
    ["-f", "x.yaml", "-A"],
    /^error: -f examines the objects in files and can't be combined with names or -A\n$/,
  ],
  [["--fail-on", "fatal"], /^error: option '--fail-on <SEVERITY>' argument 'fatal' is invalid/],
  [["-n", "empty"], /^error: no HorizontalPodAutoscaler or WorkloadAutoscaler in namespace "empty"\n$/],
  [["-n", "pay", "-l", "a=,,"], /^error: -l a=,, is not a label selector: /],
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
  expect(ended.out).toContain("1 object, 58 rules: no findings");
  expect(ended.err).toMatch(/^error: biling: no HorizontalPodAutoscaler/);
});

test("each list is read once, in pages, whatever the objects and rules, and eight requests are under way at most", async () => {
  const server = example();
  for (let index = 0; index < 30; index++) {
    putHpa(server, `team-${index}`, "billing");
    putDeployment(server, { namespace: `team-${index}`, name: "billing", replicas: 2 });
  }
  const { out } = await doctor(server, ["-A"]);
  expect(out).toContain("32 objects, 58 rules");
  const lists = server.requests.filter((path) =>
    /\/(pods|deployments|events|horizontalpodautoscalers|resourcequotas|nodes)( |$)/.test(path),
  );
  expect(lists).toEqual([...new Set(lists)]);
  expect(lists.filter((path) => path.includes("/namespaces/") && !path.includes("metrics.k8s.io"))).toEqual(
    [],
  );
  expect(lists).toContain("GET /api/v1/pods from 60");
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
  const server = doctorServer();
  const name = "a\u001b[31m\u202e<img onerror>";
  putHpa(server, "pay", "billing", {
    spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name }, maxReplicas: 3 },
  });
  const { out } = await doctor(server, ["-n", "pay"]);
  expect(out).toContain("PL-010");
  expect(out).not.toContain("\u001b");
  expect(out).not.toContain("\u202e");
});

test("a retired group of the target is named, with the one that has the kind", async () => {
  const server = doctorServer();
  const scaleTargetRef = { apiVersion: "extensions/v1beta1", kind: "Deployment", name: "billing" };
  putHpa(server, "pay", "billing", { spec: { scaleTargetRef, maxReplicas: 3 } });
  const { code, out } = await doctor(server, ["-n", "pay", "--only=PL-010"]);
  expect(code).toBe(2);
  expect(out).toContain("extensions/v1beta1 is no longer served; there is apps/v1 Deployment");
  expect(out).toContain("fix: set scaleTargetRef.apiVersion to apps/v1");
});

test("--list shows all rules, without a cluster", async () => {
  const connect = () => Promise.reject(new Error("no cluster"));
  const { code, out } = await doctor(doctorServer(), ["--list"], { connect });
  expect([code, out.split("\n").length]).toEqual([0, 60]);
  expect(out).toMatch(/^RULE {4}SEVERITY {2}FINDS\nPL-001 {2}error/);
  const { rules: listed, schema } = JSON.parse(
    (await doctor(doctorServer(), ["--list", "-o", "json"], { connect })).out,
  );
  expect([schema, listed.length]).toEqual(["plimsoll/doctor-rules/v1", rules.length]);
});

test.each(
  manifests
    .filter((path) => /^kind: (?:HorizontalPod|Workload)Autoscaler$/m.test(textOf(path)))
    .map((path) => path.split("/").slice(0, 2).join("/"))
    .filter((path, n, all) => all.indexOf(path) === n),
)("-f finds nothing wrong with %s, without a cluster", async (folder) => {
  const readText = (path: string) => readFile(join(root, path), "utf8");
  const files = manifests.filter((path) => path.startsWith(`${folder}/`));
  const { code, err } = await doctor(doctorServer(), ["-f", ...files], {
    readText,
    connect: () => Promise.reject(new Error("no cluster")),
  });
  // The examples have variants of one object, in several files.
  const notes = err.replaceAll(/^note: .* the one applied last wins: .*\n/gm, "");
  expect([code, notes]).toEqual([0, "note: 40 rules need a cluster and were not checked\n"]);
});
