import { parseSelector } from "@plimsoll/core/selector";
import {
  compileQueryTemplate,
  createPrometheusClient,
  type InstantResult,
  type PrometheusClient,
} from "@plimsoll/prometheus";
import { type RealPrometheus, startPrometheusWith } from "@plimsoll/prometheus/testing";
import { assertProperty, readBudget } from "@plimsoll/properties";
import { describeLabels, matchersOf, matchSamples, planQuery, type QueryRequest } from "@plimsoll/rules";
import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createCanBatch } from "../../../../src/backends/prometheus/query/batchable.ts";
import { createPrepareQuery } from "../../../../src/backends/prometheus/query/prepared-query.ts";
import { selectSamples } from "../../../../src/backends/prometheus/query/runner.ts";

const namespaces = ["ns-a", "ns-b"];
const pods = ["p.1", "pX1", "p1", "p2", "p3", "absent"];
const seed = readBudget(process.env).seed ?? Date.now() % 1_000_000;

/** Series of every kind: with and without the labels, with gaps, counters that reset, values that are no numbers. */
function pageOf(chance: () => number): (scrape: number) => string {
  const lines: ((scrape: number) => string)[] = [];
  for (const namespace of namespaces) {
    for (const pod of [...pods.slice(0, 5), ""]) {
      for (const container of ["main", "side", ""]) {
        if (chance() < 0.25) continue;
        const labels = [
          `namespace="${namespace}"`,
          `container="${container}"`,
          `zone="${chance() < 0.5 ? "a" : "b"}"`,
        ];
        if (pod !== "") labels.push(`pod="${pod}"`);
        const [step, resetAt, odd] = [Math.floor(chance() * 1000), 2 + Math.floor(chance() * 5), chance()];
        lines.push(
          (scrape) => `requests_total{${labels.join(",")}} ${(scrape % resetAt) * step}`,
          (scrape) =>
            `gauge{${labels.join(",")}} ${odd < 0.1 ? "NaN" : odd < 0.2 ? "+Inf" : odd * 1000 - scrape}`,
        );
        for (const [at, le] of ["0.1", "1", "+Inf"].entries()) {
          lines.push(
            (scrape) => `latency_bucket{${labels.join(",")},le="${le}"} ${scrape * step * (at + 1)}`,
          );
        }
      }
    }
  }
  return (scrape) => `${lines.map((line) => line(scrape)).join("\n")}\n`;
}

let prometheus: RealPrometheus;
let client: PrometheusClient;
let atMs: number;

beforeAll(async () => {
  const random =
    fc.sample(
      fc.array(fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), {
        minLength: 500,
        maxLength: 500,
      }),
      { seed, numRuns: 1 },
    )[0] ?? [];
  let drawn = 0;
  // Between two scrapes, the last of seven.
  atMs = Math.floor(Date.now() / 1000) * 1000 - 500;
  prometheus = await startPrometheusWith(
    {
      page: pageOf(() => random[drawn++ % random.length] ?? 0),
      fromMs: atMs - 6_500,
      toMs: atMs - 500,
    },
    { binary: process.env["PROMETHEUS"] ?? "prometheus" },
  );
  client = createPrometheusClient({ url: prometheus.url });
});

afterAll(async () => {
  await client.close();
  await prometheus.stop();
});

const selector = fc.constantFrom(
  "<<.Series>>{<<.LabelMatchers>>}",
  '<<.Series>>{container!="",<<.LabelMatchers>>}',
  '<<.Series>>{<<.LabelMatchers>>,zone="a"}',
);
const perSeries = fc
  .tuple(
    fc.constantFrom(
      "rate",
      "increase",
      "max_over_time",
      "avg_over_time",
      "changes",
      "last_over_time",
      "absent_over_time",
    ),
    selector,
  )
  .map(([name, inner]) => `${name}(${inner}[4s])`);
const labelList = fc.constantFrom(
  "<<.GroupBy>>",
  "<<.GroupBy>>,zone",
  "container",
  "zone,container",
  "pod",
  "",
);
const { expression } = fc.letrec<{ expression: string }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 3 },
    fc.oneof(selector, perSeries),
    fc
      .tuple(
        fc.constantFrom("sum", "avg", "min", "max", "count", "topk", "stddev", "quantile"),
        tie("expression"),
        fc.constantFrom("by", "without", "none"),
        labelList,
      )
      .map(([name, inner, word, labels]) => {
        const first = name === "topk" ? "1," : name === "quantile" ? "0.5," : "";
        return `${name}${word === "none" ? "" : ` ${word} (${labels})`} (${first}${inner})`;
      }),
    fc
      .tuple(fc.constantFrom("abs", "ceil", "scalar", "absent", "sort", "timestamp"), tie("expression"))
      .map(([name, inner]) => `${name}(${inner})`),
    fc
      .tuple(
        tie("expression"),
        fc.constantFrom(
          "* 2",
          "> 1",
          ">= bool 3",
          "/ 0",
          "or vector(7)",
          "and gauge",
          "- on (pod) group_left () max(gauge) by (pod)",
        ),
      )
      .map(([inner, rest]) => `(${inner}) ${rest}`),
    tie("expression").map((inner) => `60 - ${inner}`),
    tie("expression").map((inner) => `histogram_quantile(0.9, ${inner})`),
    tie("expression").map((inner) => `max_over_time((${inner})[3s:1s])`),
  ),
}));

interface Case {
  readonly text: string;
  readonly series: string;
  readonly namespace: string;
  readonly names: readonly string[];
}

const cases: fc.Arbitrary<Case> = fc.record({
  text: expression,
  series: fc.constantFrom("requests_total", "gauge", "latency_bucket"),
  namespace: fc.constantFrom(...namespaces),
  names: fc.subarray(pods, { minLength: 1 }),
});

type Found = { readonly kind: "refused" } | { readonly kind: "found"; readonly values: unknown };

async function run(request: QueryRequest, names: readonly string[]): Promise<Found> {
  const planned = planQuery(request);
  if (!planned.ok) throw new Error(planned.message);
  const result = await client.query(planned.plan.promql, { atMs }).catch(() => undefined);
  if (result?.type !== "vector") return { kind: "refused" };
  const matched = matchSamples({
    samples: result.samples,
    resourceLabel: "pod",
    names,
    namespace: { label: "namespace", name: request.namespace?.name ?? "" },
  });
  const doubled = matched.doubled.map(({ name }) => name);
  const values = names.map((name) => [name, String(matched.byName.get(name)?.value), doubled.includes(name)]);
  return { kind: "found", values };
}

test(`a batched query for a namespace, filtered, gives what the exact query gives (seed ${seed})`, async () => {
  const canBatch = createCanBatch();
  let compared = 0;
  await assertProperty(
    fc.asyncProperty(cases, async ({ text, series, namespace, names }) => {
      const request: QueryRequest = {
        template: compileQueryTemplate(text),
        series,
        selector: [],
        namespace: { label: "namespace", name: namespace },
        objectLabel: "pod",
        names,
        groupBy: ["pod"],
      };
      if (!canBatch(request, "pod")) return;
      const batched = await run({ ...request, names: "any" }, names);
      // Where the batched query fails, the exact one is used.
      if (batched.kind === "refused") return;
      compared += 1;
      expect(batched).toEqual(await run(request, names));
    }),
    { seed, numRuns: 600 },
  );
  expect(compared).toBeGreaterThan(5);
});

test(`a batched query for every value of a label, filtered, gives what the exact query gives (seed ${seed})`, async () => {
  const prepare = createPrepareQuery();
  const sorted = (result: InstantResult): unknown =>
    result.type === "vector"
      ? result.samples
          .map(({ labels, value }) => JSON.stringify([describeLabels(labels), String(value)]))
          .sort()
      : result;
  let compared = 0;
  await assertProperty(
    fc.asyncProperty(
      cases,
      fc.constantFrom("=", "in"),
      async ({ text, series, namespace, names }, operator) => {
        const values = operator === "=" ? names.slice(0, 1) : names;
        const selector = matchersOf(
          parseSelector(operator === "=" ? `pod=${values[0] ?? ""}` : `pod in (${values.join(",")})`),
        );
        if (!selector.ok) throw new Error(selector.message);
        const request = {
          template: compileQueryTemplate(text),
          series,
          selector: selector.matchers,
          namespace: { label: "namespace", name: namespace },
          objectLabel: undefined,
          groupBy: ["pod"],
        };
        const { batched } = prepare(request);
        if (batched === undefined || !batched.planned.ok) return;
        const exact = planQuery({ ...request, names: undefined });
        if (!exact.ok) throw new Error(exact.message);
        const [all, own] = await Promise.all(
          [batched.planned.plan.promql, exact.plan.promql].map((promql) =>
            client.query(promql, { atMs }).catch(() => undefined),
          ),
        );
        if (all === undefined || own === undefined) return;
        compared += 1;
        expect(sorted(selectSamples(all, batched.matchers))).toEqual(sorted(own));
      },
    ),
    { seed, numRuns: 400 },
  );
  expect(compared).toBeGreaterThan(5);
});
