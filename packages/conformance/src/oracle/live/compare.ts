// Evaluates a case as the metrics adapter does, and compares the result with the engine's, bit for bit.
import { compileQuery, evaluate, type LiveSeries, labelSet } from "@plimsoll/live";
import type { EngineResult, GivenSeries, LiveCase } from "./cases.ts";

/** Rows by their labels, as text; the reason where there is no result. */
export type Comparable = ReadonlyMap<string, string>;

export function ownResult({ query, atMs, lookbackMs, series }: LiveCase): Comparable {
  const plan = compileQuery(query);
  if (!plan.ok) return new Map([["", `Refused: ${plan.message}`]]);
  const stored = series.map(liveSeries);
  const found = plan.selectors.map((selector) => stored.filter(({ labels }) => selector.matches(labels)));
  const result = evaluate(plan, { atMs, lookbackMs, seriesOf: ({ index }) => found[index] ?? [] });
  if (!result.ok) return new Map([["", result.reason]]);
  if (result.type === "scalar") return new Map([["scalar", bits(result.value)]]);
  const rows = result.type === "vector" ? result.samples : [];
  return new Map(rows.map(({ labels, value }) => [keyOf(labels), bits(value)]));
}

export function engineResult({ rows = [], isScalar, reason, message }: EngineResult): Comparable {
  if (reason !== undefined) return new Map([["", reason === "Refused" ? `Refused: ${message}` : reason]]);
  if (isScalar === true) return new Map([["scalar", rows[0]?.value ?? ""]]);
  return new Map(rows.map(({ labels = {}, value }) => [keyOf(labels), value]));
}

/** Undefined when they are the same. Both refuse, or none; the words of a refusal are not compared. */
export function difference(own: Comparable, engine: Comparable): string | undefined {
  if (isRefused(own) && isRefused(engine)) return undefined;
  const lines = [...new Set([...own.keys(), ...engine.keys()])]
    .filter((key) => own.get(key) !== engine.get(key))
    .map((key) => `${key}: ours ${shown(own.get(key))}, the engine's ${shown(engine.get(key))}`);
  return lines.length === 0 ? undefined : lines.join("; ");
}

export function isRefused(result: Comparable): boolean {
  return result.get("")?.startsWith("Refused") ?? false;
}

/** The number beside its bits. */
function shown(text: string | undefined): string {
  if (text === undefined) return "nothing";
  if (!/^[0-9a-f]+$/.test(text)) return text;
  const [value] = new Float64Array(new BigUint64Array([BigInt(`0x${text}`)]).buffer);
  return `${value} (${text})`;
}

function bits(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  const [found = 0n] = new BigUint64Array(new Float64Array([value]).buffer);
  return found.toString(16);
}

function keyOf(labels: Readonly<Record<string, string>>): string {
  return JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function liveSeries({ labels, times, values }: GivenSeries): LiveSeries {
  const samples = {
    times: Float64Array.from(times),
    values: Float64Array.from(values, (value) => (value === "stale" ? Number.NaN : Number(value))),
    stale: Uint8Array.from(values, (value) => (value === "stale" ? 1 : 0)),
    from: 0,
    to: times.length,
  };
  return { labels: labelSet(Object.entries(labels)), samples };
}
