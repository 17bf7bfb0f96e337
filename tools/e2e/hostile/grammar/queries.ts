import type { Arbitrary } from "fast-check";
import * as fc from "fast-check";
import type { Step } from "../attack.ts";
import { hostileMetric, object, target } from "./words.ts";

/** What rules and autoscalers may hold; longer ones are refused before anything is read. */
export const maxQueryCharacters = 4096;

const metric = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom("hostile_load", "hostile_wide", "victim_load", "queue_depth") },
  { weight: 1, arbitrary: hostileMetric },
);

/** Small in a text, large once its repetitions are written out. */
const regex = fc.oneof(
  fc.constantFrom(".*", ".+", "a|b|c", "(v|va|val|valu|value)*(.*)*", "((a*)*)*b", "[a-z]{1,40}"),
  fc
    .tuple(fc.integer({ min: 1, max: 40 }), fc.constantFrom(2, 99, 999))
    .map(([times, most]) => `(${`x{0,${most}}`.repeat(times)}y)`),
  fc.integer({ min: 1, max: 6 }).map((depth) => `${"(".repeat(depth)}x${"{0,9})".repeat(depth)}`),
);

const matcher = fc.oneof(
  fc
    .tuple(fc.constantFrom("text", "pod", "copy"), fc.constantFrom("=~", "!~"), regex)
    .map((all) => matches(...all)),
  fc.constantFrom(`pod!=""`, `text="value-1"`, `copy=~"1.*"`),
);

const matches = (label: string, operator: string, text: string) => `${label}${operator}"${text}"`;

const selector = fc
  .tuple(
    fc.oneof({ weight: 5, arbitrary: metric }, { weight: 1, arbitrary: fc.constant("") }),
    fc.array(matcher, { maxLength: 3 }),
  )
  .map(([name, matchers]) => {
    const all = name === "" ? [`__name__=~".+"`, ...matchers] : matchers;
    return all.length === 0 ? name : `${name}{${all.join(",")}}`;
  });

const range = fc.constantFrom("1m", "5m", "1h", "1d", "9d", "365d");
const offset = fc.constantFrom("", "", " offset 1h", " offset 8d", " offset -1h");

const overTime = fc
  .tuple(
    fc.constantFrom(
      "rate",
      "increase",
      "avg_over_time",
      "stddev_over_time",
      "changes",
      "present_over_time",
      "deriv",
      "absent_over_time",
    ),
    selector,
    range,
    offset,
  )
  .map(([name, of, over, ago]) => `${name}(${of}[${over}]${ago})`);

const seed = fc.oneof(
  { weight: 3, arbitrary: selector },
  { weight: 2, arbitrary: overTime },
  { weight: 1, arbitrary: fc.constantFrom("vector(1)", "vector(time())") },
);

/** References of a replacement, each of which is the whole text. */
const references = fc
  .tuple(fc.integer({ min: 1, max: 12 }), fc.constantFrom("$1", "$0", "${1}", "$2"))
  .map(([times, one]) => one.repeat(times));

const groups = fc.oneof(
  fc.constantFrom("(.*)", "(.+)", "((((.*))))", "(.*)(.*)", "(.)(.*)", "((.*)|(.*)x)"),
  regex,
);

interface Layer {
  readonly before: string;
  readonly after: string;
}

const labelReplace = fc
  .tuple(references, groups, fc.constantFrom("a", "a", "b", "text"), fc.constantFrom("a", "a", "text", "pod"))
  .map(([replacement, pattern, to, from]) => ({
    before: "label_replace(",
    after: `,"${to}","${replacement}","${from}","${pattern}")`,
  }));

const labelJoin = fc
  .tuple(
    fc.integer({ min: 1, max: 12 }),
    fc.integer({ min: 0, max: 20 }),
    fc.constantFrom("", ",", "x".repeat(60)),
  )
  .map(([times, n, separator]) => ({
    before: "label_join(",
    after: `,"b${n}","${separator}"${`,"a"`.repeat(times)})`,
  }));

/** The same a few times, which is what multiplies. */
const again = (layer: Arbitrary<Layer>, atMost: number): Arbitrary<readonly Layer[]> =>
  fc
    .tuple(layer, fc.integer({ min: 1, max: atMost }))
    .map(([one, times]) => Array.from({ length: times }, () => one));

const aggregation: Arbitrary<Layer> = fc.oneof(
  fc
    .constantFrom("sum", "count", "max by (pod)", "sum without (pod)", "group by (text, copy)")
    .map((name) => ({
      before: `${name} (`,
      after: ")",
    })),
  fc
    .constantFrom(
      "topk(20,",
      "bottomk(1000000,",
      "quantile(0.9,",
      `count_values("value",`,
      `count_values("pod",`,
    )
    .map((name) => ({ before: name, after: ")" })),
);

const subquery: Arbitrary<Layer> = fc
  .tuple(
    fc.constantFrom("max_over_time", "avg_over_time", "rate", "quantile_over_time"),
    range,
    fc.constantFrom("1s", "1m", "1h", ""),
  )
  .map(([name, over, step]) => ({
    before: name === "quantile_over_time" ? `${name}(0.9,(` : `${name}((`,
    after: `)[${over}:${step}])`,
  }));

const math: Arbitrary<Layer> = fc.constantFrom(
  { before: "abs(", after: ")" },
  { before: "histogram_quantile(0.99,", after: ")" },
  { before: "sort(", after: ")" },
  { before: "absent(", after: ")" },
  { before: "clamp(", after: ",0,1)" },
  { before: "round(", after: ",0.001)" },
  { before: "vector(scalar(", after: "))" },
  { before: "-", after: "" },
);

const layers: Arbitrary<readonly Layer[]> = fc.oneof(
  { weight: 3, arbitrary: again(labelReplace, 9) },
  { weight: 2, arbitrary: again(labelJoin, 12) },
  { weight: 2, arbitrary: again(aggregation, 2) },
  { weight: 2, arbitrary: again(subquery, 3) },
  { weight: 1, arbitrary: again(math, 50) },
);

const wrapped: Arbitrary<string> = fc
  .tuple(seed, fc.array(layers, { maxLength: 4 }))
  .map(([inner, all]) => all.flat().reduce((text, { before, after }) => `${before}${text}${after}`, inner));

/** A label that is already as long as a text can be. */
const longSeed = fc
  .tuple(seed, again(labelReplace, 9), again(labelJoin, 12))
  .map(([inner, rewrites, joins]) =>
    [...rewrites, ...joins].reduce(
      (text, { before, after }) => `${before}${text}${after}`,
      `label_replace(${inner},"a","${"x".repeat(120)}","","")`,
    ),
  )
  .map((text) => `count(${text})`);

const binary = fc
  .tuple(
    wrapped,
    fc.constantFrom(
      "+",
      "*",
      "> bool",
      "and",
      "or",
      "unless",
      "/ on (pod) group_left (text)",
      "* on () group_right ()",
      "+ ignoring (copy)",
    ),
    wrapped,
  )
  .map(([left, operator, right]) => `(${left}) ${operator} (${right})`);

/** One series with a label of a megabyte, beside thousands. */
const longLabelSeries: readonly Step[] = [
  { series: { metric: "hostile_info", labels: { text: { $repeat: "x", times: 1_000_000 } } } },
  { series: { metric: "hostile_many", labels: { pod: "target-{n}", copy: "{n}" }, copies: 5_000 } },
];

/** Copies the long label to all of them. */
const longJoin = fc
  .tuple(
    fc.constantFrom(
      ["hostile_many", "group_left", "hostile_info"],
      ["hostile_info", "group_right", "hostile_many"],
      ["hostile_many", "group_left", 'label_join(hostile_info,"text","-","text","text")'],
    ),
    fc.constantFrom("on ()", "on (namespace)", "ignoring (pod,copy,text)"),
    fc.constantFrom("", "text"),
  )
  .map(([[left, group, right], match, copied]) => `count(${left} * ${match} ${group} (${copied}) ${right})`);

/** Groups of thousands of series at every step. */
const groupedSteps = fc
  .tuple(
    fc.constantFrom(
      "sum by (pod) (",
      "quantile by (pod) (0.9,",
      "topk by (pod) (100,",
      "topk without (copy) (2,",
      "stddev without () (",
      "hostile_many / max by (pod, copy) (",
    ),
    fc.constantFrom("49m:1s", "24m:1s", "16m:1s", "29s:1s", "1d:30s"),
  )
  .map(([grouped, steps]) => `count(max_over_time((${grouped}hostile_many))[${steps}]))`);

/** As many selectors as one likes. */
const many = fc
  .tuple(selector, fc.integer({ min: 2, max: 60 }), fc.constantFrom(" + ", " or ", " and "))
  .map(([one, times, operator]) => Array.from({ length: times }, () => one).join(operator));

const ordinary = fc.constantFrom(
  "max by (pod) (hostile_load)",
  "sum(rate(hostile_load[2m]))",
  "histogram_quantile(0.99, sum by (le) (rate(hostile_wide[5m])))",
  "sum(hostile_load) / count(hostile_load)",
  `label_replace(hostile_load, "name", "$1", "pod", "target-(.*)")`,
  "max_over_time(sum(hostile_load)[10m:1m])",
);

/** PromQL that is valid, and most of which costs more than it should. */
export const query: Arbitrary<string> = fc
  .oneof(
    { weight: 4, arbitrary: longSeed },
    { weight: 4, arbitrary: wrapped },
    { weight: 2, arbitrary: binary },
    { weight: 1, arbitrary: many },
    { weight: 2, arbitrary: longJoin },
    { weight: 2, arbitrary: groupedSteps },
    { weight: 2, arbitrary: ordinary },
  )
  .filter(({ length }) => length <= maxQueryCharacters);

const source = fc.constantFrom({}, {}, { source: "bearer" });

const rule = object(
  "autoscaling.plimsoll.dev/v1alpha1",
  "MetricRule",
  fc.tuple(query, source).map(([text, more]) => ({
    type: "External",
    metric: "drawn-{n}",
    query: `${text} + 0 * {n}`,
    ...more,
  })),
);

const autoscaler = object(
  "autoscaling.plimsoll.dev/v1alpha1",
  "WorkloadAutoscaler",
  fc.record({
    scaleTargetRef: target,
    minReplicas: fc.constant(1),
    maxReplicas: fc.constant(10),
    metrics: fc.array(query, { minLength: 1, maxLength: 10 }).map((texts) =>
      texts.map((promql) => ({
        type: "Query",
        query: { promql, target: { type: "AverageValue", averageValue: "1" } },
      })),
    ),
  }),
);

const ask: Step = {
  request: {
    path: "/apis/external.metrics.k8s.io/v1beta1/namespaces/hostile/drawn-{n}",
    times: 100,
    atOnce: 8,
  },
};

/** Rules with a query each, and requests for them; or autoscalers that bring their queries. */
export const queries: Arbitrary<readonly Step[]> = fc
  .tuple(fc.constantFrom(1, 10, 40), fc.oneof(rule, autoscaler))
  .map(([copies, written]) => [...longLabelSeries, { write: { object: written, copies } }, ask]);
