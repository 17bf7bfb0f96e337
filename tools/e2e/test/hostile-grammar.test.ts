// What the hostile suite draws: attacks that can be carried out, and queries that Prometheus can read.

import { enforceNamespace } from "@plimsoll/prometheus/enforce";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Step } from "../hostile/attack.ts";
import { kinds } from "../hostile/carry-out.ts";
import { expand, maxBytes } from "../hostile/expand.ts";
import { randomAttack } from "../hostile/grammar/attacks.ts";
import { fatObjects } from "../hostile/grammar/fat-objects.ts";
import { liveMetrics } from "../hostile/grammar/live.ts";
import { maxQueryCharacters, queries, query } from "../hostile/grammar/queries.ts";
import { podPlaces, podsOf } from "../hostile/live-pods.ts";
import { pageFaults } from "../hostile/page-faults.ts";
import { placeOf } from "../hostile/pod-addresses.ts";
import { echoed, password, secretTexts, userName } from "../hostile/secrets.ts";

const draws = { seed: 1, numRuns: 300 };
const texts = fc.sample(query, draws);

test("each query is PromQL, and short enough to be read", () => {
  const reasons = texts.map((text) => {
    const result = enforceNamespace(text, { namespace: "hostile", label: "namespace" });
    return result.ok ? "" : result.reason;
  });
  expect(texts.filter((_, n) => reasons[n] === "Syntax")).toEqual([]);
  expect(texts.filter(({ length }) => length > maxQueryCharacters)).toEqual([]);
});

test.each([
  "label_replace(label_replace(",
  "label_join(label_join(",
  '"$1$1',
  "x{0,999}x{0,999}",
  "count_values(",
  "topk(",
  "group_left",
  "group_left () hostile_info",
  "hostile_info * on () group_right",
  "quantile by (pod) (0.9,hostile_many))[",
  "topk by (pod) (100,hostile_many))[",
  "[9d:1s]",
  "[365d]",
  '{__name__=~".+"',
])("%s is among the queries", (construct) => {
  expect(texts.some((text) => text.includes(construct))).toBe(true);
});

test("ordinary queries are among the expensive ones", () => {
  expect(texts).toContain("max by (pod) (hostile_load)");
});

interface Written {
  readonly kind: string;
  readonly spec: {
    readonly query?: string;
    readonly metrics?: readonly { readonly query: { readonly promql: string } }[];
  };
}

test("rules and autoscalers hold the queries", () => {
  const written = fc.sample(queries, draws).flatMap((steps) => steps.flatMap(writtenBy));
  expect(new Set(written.map(({ kind }) => kind))).toEqual(new Set(["MetricRule", "WorkloadAutoscaler"]));
  for (const { spec } of written) expect(spec.query ?? spec.metrics?.[0]?.query.promql).toMatch(/\S/);
});

function writtenBy({ write }: Step): readonly Written[] {
  return write === undefined ? [] : [expand(write.object, { n: 0, e: 0 }) as Written];
}

test("fat objects are of every kind that is listed, large, and as large as an API server stores", () => {
  const drawn = fc.sample(fatObjects, { ...draws, numRuns: 100 });
  const drawnKinds = drawn.map(({ write }) => (write?.object as Written | undefined)?.kind);
  expect(new Set(drawnKinds).size).toBe(5);
  for (const step of drawn.slice(0, 20)) {
    const bytes = JSON.stringify(writtenBy(step)[0]).length;
    expect(bytes).toBeGreaterThan(40_000);
    expect(bytes).toBeLessThanOrEqual(maxBytes);
    expect(bytes * (step.write?.copies ?? 0)).toBeLessThan(400_000_000);
  }
});

test("each attack of a seed can be carried out, and one of ten is there at a restart", () => {
  const attacks = Array.from({ length: 100 }, (_, n) => randomAttack(1, n));
  expect(attacks.filter(({ restart }) => restart === true).length).toBeGreaterThan(2);
  const written = attacks.flatMap(({ steps }) =>
    steps.flatMap(({ write }) => (write === undefined ? [] : [write])),
  );
  const unknown = written.filter(({ object }) => kinds[(object as Written).kind] === undefined);
  expect(unknown).toEqual([]);
});

test("what a server echoes are forms that are looked for", () => {
  const authorization = `Basic ${Buffer.from(`${userName}:${password}`).toString("base64")}`;
  const texts = echoed({ authorization });
  expect(texts).toContain(password);
  expect(texts).toContain(Buffer.from(password).toString("hex"));
  // The base64 of base64 is no form that anybody writes.
  expect(texts.filter((text) => secretTexts.includes(text)).length).toBeGreaterThan(10);
});

test("pods have every page and every place, and only those with a page of their own are to be read", () => {
  const steps = fc.sample(liveMetrics, draws).flat();
  const drawn = steps.flatMap(({ pods }) => (pods === undefined ? [] : [pods]));
  expect(new Set(drawn.map(({ pages }) => pages))).toEqual(new Set(pageFaults));
  expect(new Set(drawn.map(({ place }) => place))).toEqual(new Set(podPlaces));
  const places = steps.flatMap((step) =>
    podsOf(step.pods, "0", { port: 8080, victimPort: 8081 }).map((pod) => {
      const { podIP, phase } = pod.status as { readonly podIP: string; readonly phase: string };
      const place = placeOf(podIP);
      return [
        step.pods?.place,
        typeof place === "number" ? pageFaults[place] : `${phase} ${place}`,
        step.pods?.pages,
      ];
    }),
  );
  const wrong = places.filter(([place, found, pages]) =>
    place === "own"
      ? found !== pages
      : found !== (place === "reused" ? "Succeeded victim" : "Running nobody"),
  );
  expect(wrong).toEqual([]);
});
