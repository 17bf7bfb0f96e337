// Cases of the playground: what is decided for them, and what is said of mistakes.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { explain, replay } from "@plimsoll/core";
import { describe, expect, test } from "vitest";
import { type CaseText, caseOf, readCase } from "../../src/playground/case.ts";
import { examples } from "../../src/playground/examples.ts";
import { maxTextLength } from "../../src/playground/read-yaml.ts";

const docs = join(import.meta.dirname, "../../..");

function explained(text: CaseText): string {
  const read = readCase(text);
  if (!read.ok) throw new Error(JSON.stringify(read));
  return explain(replay(read.record).decision);
}

/** Of both texts, as lines. */
function problems(text: CaseText): readonly string[] {
  const read = readCase(text);
  return read.ok ? [] : [...read.hpa, ...read.situation].map(({ path, message }) => `${path}: ${message}`);
}

const page = readFileSync(join(docs, "how-replicas-are-calculated.md"), "utf8");
const worked = [...page.matchAll(/```yaml live\n(.*?)```\n\n```text\n(.*?)\n```/gs)].map(
  ([, source = "", text = ""]) => ({ title: text.split("\n")[0] ?? "", source, text }),
);

test("the page has its two cases", () => {
  expect(worked).toHaveLength(2);
});

test.each(worked)("the decision on the page is that of core: $title", ({ source, text }) => {
  expect(explained(caseOf(source))).toBe(text);
});

test.each(examples.map(({ id, text }) => ({ id, text })))("the example $id is decided", ({ text }) => {
  expect(problems(text)).toEqual([]);
});

test("the page of the playground has the first example", () => {
  const [, source = ""] =
    /```yaml playground\n(.*?)```/s.exec(readFileSync(join(docs, "playground.md"), "utf8")) ?? [];
  expect(caseOf(source)).toEqual(examples[0]?.text);
});

const { hpa, situation } = examples[0]?.text ?? { hpa: "", situation: "" };

describe("a mistake is named with its field", () => {
  test.each([
    [
      "averageUtilization",
      "averageUtilisation",
      ["spec.metrics[0].resource.target.averageUtilisation: is an unknown field"],
    ],
    ["maxReplicas: 12", "maxReplicas: 1", ["spec.maxReplicas: 1 must be greater than or equal to"]],
    ["maxReplicas: 12", "maxReplicas: many", ["spec.maxReplicas: many must be a 32-bit integer"]],
    ["autoscaling/v2", "autoscaling/v1", ["apiVersion: begin with apiVersion: autoscaling/v2"]],
    ["spec:", "spec: [", ["line "]],
    ["{ name: shop }", "3", ["metadata: is not an object"]],
    ["kind: Deployment", "kind: *a", [": cannot be read: Alias resolution is disabled"]],
  ])("of the HPA: %s as %s", (from, to, expected) => {
    const found = problems({ hpa: hpa.replace(from, to), situation });
    expect(found.slice(0, 1)).toEqual(expected.map((line) => expect.stringContaining(line)));
  });

  test.each([
    ["replicas: 4", "", "replicas: is missing; use a value such as 1"],
    ["replicas: 4", "replicas: -1", "replicas: -1 is not a whole number from 0 to 10000"],
    ["count: 4", "count: 501", "pods[0].count: 501 is not a whole number from 0 to 500"],
    ["cpu: 450m", "cpu: lots", "pods[0].usage.cpu: lots is not a quantity"],
    ["- count: 4", "- size: 4", "pods[0].size: is not a field here"],
    ["- count: 4", "- { count: 300 }\n  - count: 300", "pods: are 600 pods"],
    [
      "replicas: 4",
      "replicas: 4\nrecommended: [{ ago: soon, replicas: 2 }]",
      "recommended[0].ago: soon is not a duration",
    ],
    ["replicas: 4", "replicas: 4\nmetrics: { queue: [1, x] }", "metrics.queue[1]: x is not a quantity"],
  ])("of the situation: %s as %s", (from, to, expected) => {
    expect(problems({ hpa, situation: situation.replace(from, to) })[0]).toContain(expected);
  });

  test("a value that the HPA reads is missing", () => {
    const queue = examples.find(({ id }) => id === "queue")?.text ?? { hpa: "", situation: "" };
    expect(problems({ ...queue, situation: "replicas: 2" })).toEqual([
      "metrics.queue_depth: is missing; spec.metrics[0] of the HorizontalPodAutoscaler reads it: write its value",
    ]);
  });

  test("too long a text, too many levels, aliases of aliases, and what is not an object", () => {
    expect(problems({ hpa: "a".repeat(maxTextLength + 1), situation })[0]).toContain("characters, and 16384");
    expect(problems({ hpa: "[".repeat(maxTextLength), situation })).toEqual([
      expect.stringMatching(/^line 1, column \d+: is nested too deep; write it with fewer levels$/),
    ]);
    const bomb = `a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]`;
    expect(problems({ hpa: bomb, situation })[0]).toContain("Alias resolution is disabled");
    expect(problems({ hpa: "", situation: "3" })).toEqual([
      ": is not an object; write a HorizontalPodAutoscaler",
      expect.stringContaining("is not an object"),
      expect.stringContaining("replicas: is missing"),
    ]);
  });
});

test("series of an External metric are added, and a failed pod and one that is deleted do not count", () => {
  const queue = examples.find(({ id }) => id === "queue")?.text ?? { hpa: "", situation: "" };
  const series = {
    ...queue,
    situation: "replicas: 3\npods: [{ count: 3 }]\nmetrics: { queue_depth: [100, 140] }",
  };
  expect(explained(series)).toContain("240");
  const group = "{ requests: { cpu: 500m }";
  const pods = situation.replace(
    "- count: 4",
    `- ${group}, deleting: true }\n  - ${group}, phase: Failed }\n  - count: 4`,
  );
  const text = explained({ hpa, situation: pods });
  expect(text).toContain("1 pod ignored, being deleted: a-1");
  expect(text).toContain("1 pod ignored, in phase Failed: b-1");
  expect(text).toContain("1.5 × 4 → 6");
});

test("names of methods of an object are names like others", () => {
  const missing = "unable to get metrics for resource constructor: no metrics returned";
  expect(explained({ hpa: hpa.replace("name: cpu", "name: constructor"), situation })).toContain(missing);
  const requests = examples.find(({ text }) => text.hpa.includes("type: Pods"))?.text ?? {
    hpa: "",
    situation,
  };
  const named = (text: string) => text.replaceAll("http_requests_per_second", "constructor");
  const more = `${named(requests.situation).trimEnd()}\n  - { count: 1, requests: { cpu: "1" } }`;
  const read = readCase({ hpa: named(requests.hpa), situation: more });
  const values = read.ok
    ? read.record.input.samples.map((sample) => "pods" in sample && sample.pods.length)
    : read;
  expect(values).toEqual([6, 6]);
});
