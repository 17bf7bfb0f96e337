import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { diagnose, known, rules, unknown } from "../src/index.ts";
import { cases } from "./cases/cases.ts";
import { deployment, evidenceOf, examine, hpa, pastDecisions, pod, queue, said, wla } from "./world.ts";

test("there are 58 rules, each with its own identifier, in order, and a case of each", () => {
  const ids = Array.from({ length: 58 }, (_, index) => `PL-${String(index + 1).padStart(3, "0")}`);
  expect(rules.map(({ id }) => id)).toEqual(ids);
  expect(Object.keys(cases)).toEqual(ids);
});

/** They look at nothing but the object itself. */
const alwaysKnown = new Set(["PL-030", "PL-031", "PL-032", "PL-040", "PL-054", "PL-058"]);

describe.each(Object.entries(cases))("%s", (id, { positive, says, negative, unreadable }) => {
  test("finds it, with evidence", () => {
    const { findings } = examine(id, positive);
    expect(findings).not.toEqual([]);
    for (const part of says) expect(findings.map(said).join("\n")).toContain(part);
    for (const { evidence, fix, docs } of findings) {
      expect(evidence).not.toEqual([]);
      expect(fix).not.toBe("");
      expect(docs).toBe(`docs/doctor.md#${id.toLowerCase()}`);
    }
  });

  test("says nothing about what is near to it", () => {
    expect(examine(id, negative).findings.map(said)).toEqual([]);
  });

  test("is skipped with the reason where it cannot know", () => {
    const { findings, skipped } = examine(id, unreadable);
    expect(findings.map(said)).toEqual([]);
    const reasons = skipped.map(({ reason }) => reason).filter((reason) => reason !== "");
    expect([id, reasons.length > 0]).toEqual([id, !alwaysKnown.has(id)]);
  });
});

test.each(["PL-025", "PL-039"])("%s gives one reason for too short a history, however short", (id) => {
  const reasons = [3, 5].flatMap((count) =>
    examine(id, { facts: { history: known(pastDecisions(count)) } }).skipped.map(({ reason }) => reason),
  );
  expect(reasons).toHaveLength(2);
  expect(new Set(reasons).size).toBe(1);
});

test("a rule without a fact that it needs finds nothing, whatever else there is", () => {
  for (const rule of rules) {
    for (const need of rule.needs) {
      const world = cases[rule.id]?.positive ?? {};
      const { findings, skipped } = examine(rule.id, {
        ...world,
        facts: { ...world.facts, [need]: unknown(`no ${need}`) },
      });
      expect([rule.id, need, findings.map(said)]).toEqual([rule.id, need, []]);
      expect(skipped.map(({ reason }) => reason)).toContain(`no ${need}`);
    }
  }
});

test("all rules are silent on healthy objects, and none is skipped", () => {
  const objects = Array.from({ length: 25 }, (_, index) => [
    hpa({
      name: `shop-${index}`,
      metadata: { namespace: `team-${index}` },
      spec: { maxReplicas: 4 + (index % 12) },
    }),
    wla({
      name: `shop-${index}`,
      metadata: { namespace: `team-${index}` },
      spec: { minReplicas: 1 + (index % 2) },
    }),
  ]).flat();
  const evidence = objects.map((object) => evidenceOf({ object }));
  const [first] = evidence;
  if (first === undefined) throw new Error("no objects");
  const all = { ...first, objects: evidence.flatMap(({ objects: one }) => one) };
  const { findings, skipped, checked } = diagnose(all, rules);
  expect(findings.map((finding) => `${finding.id} ${said(finding)}`)).toEqual([]);
  expect(skipped).toEqual([]);
  expect(checked).toEqual({ objects: 50, rules: 58 });
});

test("findings count one step less while a rollout begins, and not because the object is young", () => {
  const { positive } = cases["PL-014"] ?? {};
  const plain = examine("PL-014", positive ?? {}).findings[0];
  const young = examine("PL-014", {
    ...positive,
    object: hpa({ metadata: { creationTimestamp: "2026-11-22T09:57:00Z" } }),
  });
  expect([plain?.severity, young.findings[0]?.severity]).toEqual(["error", "error"]);
  const containers = [{ name: "main", resources: {} }];
  const rolling = [
    pod(0, { containers }),
    pod(1, {
      containers,
      createdAt: "2026-11-22T09:59:00Z",
      labels: { "pod-template-hash": "77aa" },
      owner: { kind: "ReplicaSet", name: "shop-77aa", controller: true },
    }),
  ];
  const started = examine("PL-014", { facts: { pods: { ok: true, value: rolling } } });
  expect(started.findings[0]?.severity).toBe("warn");
});

test("a command passes names to kubectl as they are, whatever they hold", () => {
  const name = "a'; echo $(id) `id` #";
  const { positive } = cases["PL-030"] ?? {};
  const object = positive?.object ?? hpa();
  const metadata = { ...(object["metadata"] as object), name, namespace: "n s" };
  const { findings } = examine("PL-030", { ...positive, object: { ...object, metadata } });
  const script = `kubectl() { printf '%s\\n' "$@"; }\n${findings[0]?.command ?? ""}`;
  expect(execFileSync("sh", ["-c", script], { encoding: "utf8" }).split("\n").slice(0, 5)).toEqual([
    "patch",
    "hpa",
    name,
    "-n",
    "n s",
  ]);
});

test("hostile objects make no rule throw", () => {
  const odd: readonly unknown[] = [
    null,
    0,
    "",
    "x",
    [],
    [null],
    {},
    { spec: null },
    { metadata: [], spec: { metrics: [null, 1] } },
  ];
  for (const value of odd) {
    const object = {
      ...hpa(),
      spec: { scaleTargetRef: value, metrics: value, behavior: value, schedules: value, minReplicas: value },
    };
    for (const raw of [
      object,
      { ...object, kind: "WorkloadAutoscaler" },
      { ...hpa(), status: value, metadata: value },
    ]) {
      const list = {
        ok: true as const,
        value: [{ metadata: value, spec: value, status: value } as never],
      };
      const lists = Object.fromEntries(
        [
          "scaledObjects",
          "datadogAutoscalers",
          "deployments",
          "cronHpas",
          "rollouts",
          "vpas",
          "pdbs",
          "quotas",
          "events",
          "nodes",
          "apiServices",
          "metricRules",
          "pods",
        ].map((name) => [name, list]),
      );
      const facts = {
        ...lists,
        target: {
          ok: true as const,
          value: {
            found: true as const,
            object: { ...deployment(), spec: value, status: value, metadata: value },
          },
        },
      };
      expect(diagnose(evidenceOf({ object: raw, facts }), rules).checked.rules).toBe(58);
    }
  }
});

const query = (reason: string, error = "no") => ({
  object: wla({
    spec: {
      metrics: [
        {
          type: "Query",
          query: { promql: "sum(rate(a[2m]))", target: { type: "AverageValue", averageValue: "10" } },
        },
      ],
    },
  }),
  facts: { samples: known([{ samples: { error, reason } }]) },
});

test.each([
  ["NotServed", "the query query[0] is not served"],
  ["NamespaceMatcher", "the query query[0] is refused: NamespaceMatcher"],
])("a query with reason %s is a finding, with the words of the API", (reason, title) => {
  const { findings } = examine("PL-021", query(reason, "what the API says"));
  expect(findings.map(said).join()).toContain(title);
  expect(findings.map(said).join()).toContain("what the API says");
});

test.each(["NoSeries", "QueryFailed", "NotRead"])(
  "a query without a value for now, %s, is none of not served",
  (reason) => {
    expect(examine("PL-021", query(reason)).findings).toEqual([]);
  },
);

test.each([hpa, wla])(
  "upstream's number for an average over no replicas says nothing about the metric",
  (kind) => {
    const examined = (currentReplicas: number, statusReplicas = currentReplicas) => {
      const external = {
        metric: { name: "queue_depth" },
        current: { averageValue: "-9223372036854775808m" },
      };
      const status = { currentReplicas, currentMetrics: [{ type: "External", external }] };
      const object = kind({ spec: { metrics: [queue("AverageValue")] }, status });
      return examine("PL-027", {
        object,
        facts: {
          samples: known([{ samples: { values: [{ value: "0" }] } }]),
          scale: known({ found: true, specReplicas: currentReplicas, statusReplicas, selector: "app=shop" }),
        },
      });
    };
    expect(examined(0).findings).toEqual([]);
    expect(examined(1, 0).findings).toEqual([]);
    expect(examined(2).findings).toHaveLength(1);
  },
);
