// Makes random queries of the language that a live query may have.
import type { Random } from "../random.ts";
import { type Clock, counters, gauges, histogram, labelValues } from "./series.ts";

const rangeFunctions = [
  "rate",
  "increase",
  "delta",
  "irate",
  "idelta",
  "avg_over_time",
  "sum_over_time",
  "min_over_time",
  "max_over_time",
  "count_over_time",
  "last_over_time",
  "present_over_time",
  "stddev_over_time",
  "stdvar_over_time",
] as const;

const aggregations = ["sum", "sum", "avg", "min", "max", "count", "group", "stddev", "stdvar"] as const;
const arithmetic = ["+", "-", "*", "/", "%"] as const;
const comparisons = ["==", "!=", ">", "<", ">=", "<="] as const;
const labels = ["pod", "code", "zone", "le", "__name__", "nosuch"] as const;

/** Makes queries for the series of a world. */
export interface Queries {
  readonly random: Random;
  readonly clock: Clock;
}

export function randomQuery(queries: Queries): string {
  const { random } = queries;
  if (random.chance(0.04)) return scalar(queries, 3);
  if (random.chance(0.02)) return wrong(queries);
  return vector(queries, { depth: random.int(1, 4), isOrdered: false });
}

/** Both sides have to refuse most of them. */
function wrong(queries: Queries): string {
  const { random } = queries;
  const [one, other] = [leaf(queries), leaf(queries)];
  return random.pick([
    `1 ${random.pick(comparisons)} 2`,
    `${one} ${random.pick(arithmetic)} bool ${other}`,
    `${one} and 1`,
    `1 or 2`,
    `1 + on (pod) ${one}`,
    `1 + on () ${one}`,
    `${one} or on (pod) group_left ${other}`,
    `${one} * on (pod) group_left (pod) ${other}`,
    `rate(${counters[0]})`,
    `rate(${one})`,
    `sum(${counters[0]}[5s])`,
    `-${counters[0]}[5s]`,
    `rate((${counters[0]}[5s]))`,
    `abs(${one}, 1)`,
    `clamp(${one}, 1)`,
    `sum(1)`,
    `sum(${one}, ${other})`,
    `quantile(${one}, ${other})`,
    `vector(${one})`,
    `scalar(1)`,
    `histogram_quantile(${one}, ${other})`,
    `{zone=""}`,
    `{zone=~".*"}`,
    `${counters[0]}{pod=~"("}`,
    `SUM BY (pod) (${one})`,
    `${one} AND ${other}`,
  ]);
}

interface Wanted {
  readonly depth: number;
  /** The order of the rows matters to what is around them. That of histogram_quantile is a different one each time. */
  readonly isOrdered: boolean;
}

function vector(queries: Queries, wanted: Wanted): string {
  const { random } = queries;
  if (wanted.depth <= 0) return leaf(queries);
  const inner = { ...wanted, depth: wanted.depth - 1 };
  return random.weighted<() => string>([
    [3, () => leaf(queries)],
    [6, () => aggregation(queries, inner)],
    [2, () => withScalar(queries, inner)],
    [3, () => between(queries, inner)],
    [2, () => sets(queries, inner)],
    [1, () => call(queries, inner)],
    [wanted.isOrdered ? 0 : 1.5, () => quantile(queries)],
    [0.5, () => `-${operand(queries, inner)}`],
    [0.5, () => `(${vector(queries, inner)})`],
    [0.2, () => `vector(${scalar(queries, 1)})`],
  ])();
}

/** In parentheses where it has to be. */
function operand(queries: Queries, wanted: Wanted): string {
  const text = vector(queries, wanted);
  return /^[\w:]+(?:\{[^}]*\})?$/.test(text) ? text : `(${text})`;
}

function leaf(queries: Queries): string {
  const { random } = queries;
  const isCounter = random.chance(0.6);
  const name = isCounter ? random.pick(counters) : random.pick(gauges);
  const selected = random.chance(0.03) ? anyName(random) : selector(random, name);
  if (random.chance(isCounter ? 0.15 : 0.5)) return selected;
  if (random.chance(0.05))
    return `quantile_over_time(${quantileText(random)}, ${selected}[${range(queries)}])`;
  return `${random.pick(rangeFunctions)}(${selected}[${range(queries)}])`;
}

function anyName(random: Random): string {
  return random.pick(['{__name__=~".+_total"}', '{pod="a"}', '{__name__!="bytes_total",code=~"2.."}']);
}

function selector(random: Random, name: string): string {
  const matchers: string[] = [];
  for (const label of ["pod", "code", "zone"] as const)
    if (random.chance(0.15)) matchers.push(matcher(random, label));
  return matchers.length === 0 ? name : `${name}{${matchers.join(",")}}`;
}

function matcher(random: Random, label: "pod" | "code" | "zone"): string {
  const value = random.pick(labelValues[label] ?? [""]);
  return random.weighted<string>([
    [2, `${label}="${value}"`],
    [3, `${label}!="${value}"`],
    [1, `${label}=~"${value}|b|5.."`],
    [2, `${label}!~"${value}.*"`],
    [1, `${label}=~"[a-c2-4].*"`],
    [1, `${label}=""`],
    [1, `${label}!~"(?i:A)|404"`],
  ]);
}

/** Between half an interval and all of the window, also in odd units. */
function range({ random, clock }: Queries): string {
  const ms = random.pick([
    clock.intervalMs * random.int(1, 6),
    clock.intervalMs * random.int(2, 12) + random.int(-1, 1),
    random.int(1, clock.intervalMs * clock.scrapes + 1_000),
  ]);
  if (ms % 1_000 === 0 && random.chance(0.7)) return `${ms / 1_000}s`;
  return random.chance(0.2) && ms > 1_000 ? `${Math.floor(ms / 1_000)}s${ms % 1_000}ms` : `${ms}ms`;
}

function aggregation(queries: Queries, wanted: Wanted): string {
  const { random } = queries;
  const isQuantile = random.chance(0.06);
  const name = isQuantile ? "quantile" : random.pick(aggregations);
  const isOrdered = wanted.isOrdered || !["min", "max", "count", "group"].includes(name);
  const inner = vector(queries, { ...wanted, isOrdered });
  const modifier = random.weighted<() => string>([
    [2, () => ""],
    [5, () => ` by (${some(random)})`],
    [3, () => ` without (${some(random)})`],
  ])();
  const body = isQuantile ? `(${quantileText(random)}, ${inner})` : `(${inner})`;
  return random.chance(0.5) ? `${name}${modifier}${body}` : `${name}${body}${modifier}`;
}

function some(random: Random): string {
  const from: readonly [string, ...string[]] = random.chance(0.9) ? ["pod", "code"] : labels;
  return [...new Set(Array.from({ length: random.int(0, 2) }, () => random.pick(from)))].join(", ");
}

function quantileText(random: Random): string {
  return random.pick(["0.5", "0.9", "0.99", "0", "1", "-1", "1.5", "NaN", String(random.fraction())]);
}

function quantile(queries: Queries): string {
  const { random } = queries;
  const rated = `${random.pick(["rate", "increase", "sum_over_time"])}(${selector(random, histogram)}[${range(queries)}])`;
  const buckets = random.pick([
    rated,
    selector(random, histogram),
    `sum by (le) (${rated})`,
    `sum by (le, pod) (${rated})`,
    `sum without (code) (${rated})`,
    `avg by (le, code) (${rated})`,
  ]);
  return `histogram_quantile(${quantileText(random)}, ${buckets})`;
}

function call(queries: Queries, wanted: Wanted): string {
  const { random } = queries;
  const inner = vector(queries, wanted);
  return random.weighted<() => string>([
    [2, () => `abs(${inner})`],
    [2, () => `clamp_min(${inner}, ${scalar(queries, 1)})`],
    [2, () => `clamp_max(${inner}, ${scalar(queries, 1)})`],
    [2, () => `clamp(${inner}, ${number(random)}, ${number(random)})`],
  ])();
}

function withScalar(queries: Queries, wanted: Wanted): string {
  const { random } = queries;
  const [side, other] = [operand(queries, wanted), scalar(queries, 1)];
  const sign = operator(random);
  return random.chance(0.6) ? `${side} ${sign} ${other}` : `${other} ${sign} ${side}`;
}

function operator(random: Random): string {
  if (random.chance(0.65)) return random.pick(arithmetic);
  return `${random.pick(comparisons)}${random.chance(0.4) ? " bool" : ""}`;
}

/** Mostly of sides that have the same labels, so that rows match. */
function between(queries: Queries, wanted: Wanted): string {
  const { random } = queries;
  const sign = operator(random);
  if (random.chance(0.5)) {
    const by = some(random);
    const side = (): string => `sum by (${by}) (${vector(queries, { depth: 0, isOrdered: true })})`;
    return `${side()} ${sign}${random.chance(0.3) ? ` on (${by})` : ""} ${side()}`;
  }
  if (random.chance(0.4)) return manyToOne(queries, sign);
  return `${operand(queries, wanted)} ${sign}${matching(random)} ${operand(queries, wanted)}`;
}

function manyToOne(queries: Queries, sign: string): string {
  const { random } = queries;
  const label = random.pick(["pod", "code"]);
  const include = random.weighted<string>([
    [3, ""],
    [1, "zone"],
    [1, label === "pod" ? "code" : "pod"],
    [0.3, "nosuch"],
  ]);
  const one = `${random.pick(["sum", "max", "avg"])} by (${label}, ${random.pick([label, "zone"])}) (${leaf(queries)})`;
  const many = random.chance(0.8) ? `sum by (pod, code) (${leaf(queries)})` : leaf(queries);
  const group = random.chance(0.5)
    ? ` on (${label})`
    : ` ignoring (${label === "pod" ? "code" : "pod"}, zone)`;
  return random.chance(0.5)
    ? `${many} ${sign}${group} group_left (${include}) ${one}`
    : `${one} ${sign}${group} group_right (${include}) ${many}`;
}

function matching(random: Random): string {
  return random.weighted<() => string>([
    [4, () => ""],
    [2, () => ` on (${some(random)})`],
    [2, () => ` ignoring (${some(random)})`],
  ])();
}

function sets(queries: Queries, wanted: Wanted): string {
  const { random } = queries;
  const sign = random.pick(["or", "or", "and", "unless"]);
  return `${operand(queries, wanted)} ${sign}${matching(random)} ${operand(queries, wanted)}`;
}

function scalar(queries: Queries, depth: number): string {
  const { random } = queries;
  if (depth <= 0) return number(random);
  return random.weighted<() => string>([
    [5, () => number(random)],
    [1, () => `(${scalar(queries, depth - 1)} ${random.pick(arithmetic)} ${scalar(queries, depth - 1)})`],
    [0.4, () => `(${scalar(queries, depth - 1)} ${random.pick(comparisons)} bool ${number(random)})`],
    [0.6, () => `scalar(sum(${leaf(queries)}))`],
    [0.2, () => `scalar(${vector(queries, { depth: 0, isOrdered: false })})`],
    [0.3, () => `-(${scalar(queries, depth - 1)})`],
  ])();
}

function number(random: Random): string {
  return random.pick([
    "0",
    "1",
    "2",
    "10",
    "-1",
    "0.5",
    "1e3",
    "0x1f",
    "1m",
    "1s1ms",
    "Inf",
    "-Inf",
    "NaN",
    "100",
    String(random.fraction()),
  ]);
}
