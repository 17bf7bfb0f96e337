import { type Stream, wantedAtPeak } from "./scenario.ts";

/** What one workload did, against what the formula says it should do. */
export interface Result {
  readonly workload: string;
  readonly formula: string;
  readonly wanted: number;
  readonly peak: number;
  /** Metrics that won a decision at least once. */
  readonly winners: readonly string[];
  readonly complaint: string | undefined;
}

/** Judges a workload by its peak, and by whether each of its metrics was seen to lead. */
export function judge(o: {
  readonly workload: string;
  readonly streams: readonly Stream[];
  readonly peak: number;
  readonly winners: ReadonlySet<string>;
}): Result {
  const wanted = Math.max(...o.streams.map(wantedAtPeak));
  const silent = o.streams.filter((stream) => !o.winners.has(stream.metric)).map((stream) => stream.metric);
  const complaint =
    o.peak !== wanted
      ? `peaked at ${o.peak}`
      : silent.length > 0
        ? `${silent.join(", ")} never decided`
        : undefined;
  return {
    workload: o.workload,
    formula: o.streams.map(formula).join(", "),
    wanted,
    peak: o.peak,
    winners: [...o.winners],
    complaint,
  };
}

export function renderSummary(results: readonly Result[]): readonly string[] {
  const widest = Math.max(...results.map((result) => result.formula.length));
  return results.map((result) => {
    const verdict = result.complaint === undefined ? "agrees" : `DISAGREES: ${result.complaint}`;
    const formula = result.formula.padEnd(widest + 2);
    return `${result.workload.padEnd(9)}${formula}wanted ${result.wanted}   peak ${result.peak}   ${verdict}`;
  });
}

function formula(stream: Stream): string {
  return `⌈${stream.peak} ÷ ${stream.perReplica} ${stream.unit}⌉ = ${wantedAtPeak(stream)}`;
}
