// A Prometheus with a few series, which answers the queries of a table and no others.
import { type Labels, PrometheusError, type QueryResult, selectorFacts } from "@plimsoll/prometheus";
import type { PrometheusRead } from "../src/index.ts";

export const nowMs = 600_000;
/** The ages of its series are below it. */
export const maxAgeMs = 300_000;

/** By query: a number, "NaN", samples such as `{pod="a"} 5`, or why it fails. */
export type Answers = Readonly<Record<string, number | readonly string[] | "matrix" | Error>>;

export interface Stored {
  /** Such as `lag{pod="a"}`. */
  readonly series?: readonly string[];
  readonly answers?: Answers;
  /** The status of all lists of labels and names. */
  readonly listStatus?: number;
}

export function memoryPrometheus({ series = [], answers = {}, listStatus }: Stored): PrometheusRead {
  const all = series.map(labelsOf);
  const selected = ([selector = ""]: readonly string[], range: Parameters<PrometheusRead["series"]>[1]) => {
    const { startMs, endMs = nowMs, signal } = range;
    if (startMs !== nowMs - maxAgeMs || endMs !== nowMs || signal === undefined) throw new Error("range");
    const { metricName, matchers } = selectorFacts(selector);
    return all.filter(
      (labels) =>
        (metricName ?? labels["__name__"]) === labels["__name__"] &&
        matchers.every(({ label, operator, value = "" }) => {
          const own = labels[label] ?? "";
          const isSame = operator.includes("~") ? new RegExp(`^(?:${value})$`).test(own) : own === value;
          return isSame === !operator.startsWith("!");
        }),
    );
  };
  const listed = async (values: () => readonly string[]): Promise<readonly string[]> => {
    if (listStatus !== undefined)
      throw new PrometheusError("server_error", "no lists", { status: listStatus });
    return [...new Set(values())].toSorted();
  };
  return {
    series: async (matches, range) => selected(matches, range),
    labelNames: (matches, range) => listed(() => selected(matches, range).flatMap((one) => Object.keys(one))),
    labelValues: (label, matches, range) =>
      listed(() => selected(matches, range).flatMap((one) => one[label] ?? [])),
    async query(promql, { signal } = {}) {
      const answer = answers[promql];
      if (signal === undefined || answer === undefined) throw new Error(`no answer to ${promql}`);
      if (answer instanceof Error) throw answer;
      return { ...resultOf(answer), warnings: [], infos: [] };
    },
  };
}

function resultOf(answer: number | readonly string[] | "matrix"): QueryResult {
  if (answer === "matrix") return { type: "matrix", series: [] };
  if (typeof answer === "number") return { type: "scalar", value: answer, atMs: nowMs };
  const samples = answer.map((text) => {
    const at = text.lastIndexOf(" ");
    return { labels: labelsOf(text.slice(0, at)), value: Number(text.slice(at)), atMs: nowMs };
  });
  return { type: "vector", samples };
}

function labelsOf(text: string): Labels {
  const [, name = ""] = /^([^{]*)/.exec(text) ?? [];
  const labels = [...text.matchAll(/([\w.]+)="([^"]*)"/g)].map(([, label = "", value = ""]) => [
    label,
    value,
  ]);
  return Object.fromEntries(name === "" ? labels : [["__name__", name], ...labels]);
}
