import { enforceNamespace } from "@plimsoll/prometheus/enforce";
import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileRule } from "../../src/compile/compile-rule.ts";
import { shownDuration } from "../../src/compile/limits.ts";
import { readSpec } from "../../src/kind/read-spec.ts";
import { context, externalSpec, ingresses, podsSpec, rawRule } from "../rules.ts";

function compile(spec: object, namespace = "shop") {
  const read = readSpec(rawRule("packets", spec));
  if (!read.ok) throw new Error(read.problems.join("; "));
  return compileRule({ namespace, name: "packets" }, read.spec, context);
}

const refusal = (spec: object, namespace?: string): string => {
  const decided = compile(spec, namespace);
  return decided.type === "refused" ? `${decided.refusal.reason}: ${decided.refusal.message}` : decided.type;
};
const query = (text: string): string => refusal(externalSpec(text));

test("a rule compiles to its enforced query", () => {
  expect(compile(podsSpec())).toMatchObject({
    type: "accepted",
    rule: {
      namespace: "shop",
      metric: "packets",
      source: "default",
      query: 'sum by (pod) (rate(packets_total{namespace="shop"}[2m]))',
      windowSeconds: 120,
      object: { label: "pod", info: { resource: "pods", kind: "Pod" } },
    },
  });
  expect(compile(externalSpec())).toMatchObject({
    rule: { query: 'queue_length{namespace="shop"}', object: undefined, windowSeconds: undefined },
  });
  const object = { resource: "ingresses.networking.k8s.io", label: "ingress" };
  expect(compile({ type: "Object", query: "hits", object })).toMatchObject({
    rule: { object: { info: ingresses, label: "ingress" } },
  });
});

test("names may need quotes: of series, of labels, and of the namespace's label", () => {
  const spec = {
    type: "Pods",
    podLabel: "k8s.pod.name",
    query: 'sum by ("k8s.pod.name") (rate({"http.requests","k8s.cluster"="a"}[2m]))',
  };
  const read = readSpec(rawRule("packets", spec));
  if (!read.ok) throw new Error(read.problems.join("; "));
  const otel = { ...context, namespaceLabel: "k8s.namespace.name" };
  expect(compileRule({ namespace: "shop", name: "packets" }, read.spec, otel)).toMatchObject({
    rule: {
      object: { label: "k8s.pod.name" },
      query:
        'sum by ("k8s.pod.name") (rate({"http.requests","k8s.cluster"="a","k8s.namespace.name"="shop"}[2m]))',
    },
  });
});

test("a matcher of the namespace is refused in any form", () => {
  for (const text of [
    'up{namespace="shop"}',
    'up{namespace!=""}',
    'up{"namespace"=~".+"}',
    "up{'namespace'!~`x`}",
    'sum(rate(a{b="c"}[5m])) / on() group_left b{namespace="other"}',
  ])
    expect(query(text)).toMatch(/^NamespaceMatcher: spec\.query: .* which is set for you: remove it \(at/);
});

test("what cannot be read or is unknown is refused with its place", () => {
  expect(query("sum(")).toBe("Unparsable: spec.query: the query ends too early (at character 5)");
  expect(query("info(up)")).toMatch(/^Unsupported: spec\.query: .*info\(\) selects series by itself/);
});

test("what a query may cost is bounded, with the figure", () => {
  expect(query("rate(a[1d])")).toBe("accepted");
  expect(query("rate(a[30d])")).toBe(
    "TooCostly: spec.query: a range of 30d is longer than 1d: use a shorter one, or a recording rule",
  );
  expect(query("a / a offset 1w")).toBe("accepted");
  expect(query("a offset 52w")).toBe(
    "TooCostly: spec.query: a selector reads 364d back, more than 9d: use a shorter offset or range",
  );
  expect(query("max_over_time(a[1h:1m])")).toBe("accepted");
  expect(query("max_over_time(a[1h:1s])")).toBe(
    "TooCostly: spec.query: its subqueries take 3601 evaluations, more than 3000: use longer steps, or a recording rule",
  );
  expect(query("max_over_time(a[6h:10s]) + max_over_time(b[6h:10s])")).toMatch(/4322 evaluations/);
  expect(query("max_over_time(max_over_time(time()[1h:1m])[1h:1m])")).toMatch(/3721 evaluations/);
  expect(query("a @ 1700000000")).toMatch(/^TooCostly: .* at a fixed time with @/);
  expect(query("a @ end()")).toBe("accepted");
  expect(query(Array.from({ length: 21 }, (_, at) => `a${at}`).join("+"))).toMatch(
    /^TooCostly: .*more than 20 selectors/,
  );
  expect(query(`${"(".repeat(60)}a${")".repeat(60)}`)).toMatch(/^TooCostly: .*nested more than 50 deep/);
});

test("the compiled query, which the status shows, bounds what a join copies", () => {
  const decided = compile(externalSpec("a * on (pod) group_left (node) b"));
  const query =
    'a{namespace="shop"} * on (pod) group_left (node) avg by (pod,node) (label_replace(b{namespace="shop"},"node","","node","(?s:.{254}.*)"))';
  expect(decided).toMatchObject({ type: "accepted", rule: { query } });
});

test("an expression that would be expensive for a backtracking matcher is not evaluated here", () => {
  expect(query(`a{b=~"(x+x+)+y"}`)).toBe("accepted");
});

test("sources and resources are those that the namespace may use", () => {
  expect(refusal({ ...externalSpec(), source: "other" })).toMatch(
    /^UnknownSource: spec\.source: unknown source "other"/,
  );
  expect(refusal({ ...externalSpec(), source: "team" })).toMatch(
    /^SourceNotForNamespace: spec\.source: the source "team" does not serve the namespace shop/,
  );
  expect(refusal({ ...externalSpec(), source: "team" }, "team-a")).toBe("accepted");
  const object = (resource: string) => ({ type: "Object", query: "a", object: { resource, label: "b" } });
  expect(refusal(object("things.example.com"))).toMatch(/^UnknownResource: spec\.object\.resource: .*things/);
  expect(refusal(object("nodes"))).toMatch(/^ResourceNotNamespaced: spec\.object\.resource: "nodes" is not/);
  expect(refusal(object("slow.example.com"))).toBe("pending");
  expect(refusal(externalSpec(), 'x"}')).toMatch(/^InvalidSpec: metadata\.namespace/);
});

test("whatever the text, a query that is accepted is one that the enforcement wrote for this namespace", () => {
  const parts = fc.constantFrom(
    ..."a b{c='d'} sum(  ) rate( [5m] [1h:1m] offset 1d by (pod) + / , { } 'x' \"y\" namespace=\"z\" # \n".split(
      " ",
    ),
  );
  assertProperty(
    fc.property(fc.array(parts, { maxLength: 12 }), (all) => {
      const text = all.join(" ");
      fc.pre(text.trim() !== "");
      const decided = compile(externalSpec(text));
      if (decided.type !== "accepted") return;
      const enforced = enforceNamespace(text, { label: "namespace", namespace: "shop" });
      expect(enforced).toMatchObject({ ok: true, query: decided.rule.query });
      expect(enforceNamespace(decided.rule.query, { label: "namespace", namespace: "shop" })).toMatchObject(
        enforced.ok && enforced.selectors.length > 0 ? { reason: "NamespaceMatcher" } : { ok: true },
      );
    }),
    { numRuns: 20_000 },
  );
});

test("durations are shown as PromQL writes them", () => {
  expect([86_400_000, 7_200_000, 90_000, 1_500].map(shownDuration)).toEqual(["1d", "2h", "90s", "1500ms"]);
});

describe("live", () => {
  const liveSpec = (text: string, live: object = {}) => ({
    ...externalSpec(text),
    source: "default",
    live: { port: "metrics", podSelector: { matchLabels: { app: "web" } }, ...live },
  });
  const compileLive = (text: string, live?: object, allowsLive = true) => {
    const read = readSpec(rawRule("packets", liveSpec(text, live)));
    if (!read.ok) return read.problems.join("; ");
    const decided = compileRule({ namespace: "shop", name: "packets" }, read.spec, {
      ...context,
      allowsLive,
    });
    return decided.type === "refused" ? `${decided.refusal.reason}: ${decided.refusal.message}` : decided;
  };

  test("a query has the matcher of its namespace, and a plan", () => {
    expect(compileLive("sum(rate(packets_total[5s]))")).toMatchObject({
      type: "accepted",
      rule: {
        query: 'sum(rate(packets_total{namespace="shop"}[5s]))',
        live: {
          port: "metrics",
          interval: "1s",
          pods: { type: "selector", selector: { matchLabels: { app: "web" } } },
          plan: { longestRangeMs: 5_000 },
        },
      },
    });
  });

  test.each<readonly [string, object, string]>([
    ["up offset 1m", {}, "Unsupported: spec.query: "],
    ["rate(a[1h])", {}, "TooCostly: spec.query: a range of 1h is longer than the 5m that live queries keep"],
    [
      Array.from({ length: 9 }, () => "a").join(" + "),
      {},
      "TooCostly: spec.query: 9 selectors are more than the 8 that a live query may have",
    ],
    [
      "rate(a[15s])",
      { interval: "10s" },
      "InvalidSpec: spec.query: a range of 15s may have a single scrape at an interval of 10s: use 20s or longer",
    ],
    ["a", { podSelector: undefined }, "spec.live.podSelector: is missing: select the pods by their labels"],
    ["a", { port: undefined }, "spec.live.port: is missing"],
  ])("%s with %j is refused", (text, live, refusal) => {
    expect(compileLive(text, live)).toContain(refusal);
  });

  test("an adapter that scrapes no pods refuses", () => {
    expect(compileLive("a", {}, false)).toMatch(/^LiveDisabled: spec\.live: .* start it with --live-metrics/);
  });

  test("of type Object or with a source is refused", () => {
    const object = { resource: "ingresses.networking.k8s.io", label: "ingress" };
    const read = readSpec(rawRule("a", { ...liveSpec("a"), type: "Object", object, source: "team" }));
    expect(read).toMatchObject({
      problems: [
        'spec.live: "{\\"port\\":\\"metrics\\",\\"podSelector\\":{\\"matchLabels\\":{\\"app\\":\\"web\\"}…" has no meaning with type Object: remove it',
        'spec.source: "team" has no meaning with live: remove it',
      ],
    });
  });
});
