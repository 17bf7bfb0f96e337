import { type Stream, wantedAtPeak } from "./scenario.ts";

/** What one workload did, against what the formula says it should do. */
export interface Result {
  readonly workload: string;
  /** One for each stream. */
  readonly formulas: readonly string[];
  readonly wanted: number;
  readonly peak: number;
  /** Metrics that won a decision at least once. */
  readonly winners: readonly string[];
  readonly complaint: string | undefined;
  /** From the step in the load to the first write of more replicas. */
  readonly reactionMs?: number | undefined;
}

/** Checks a workload by its peak, and by whether each of its metrics was seen to lead. */
export function resultOf(options: {
  readonly workload: string;
  readonly streams: readonly Stream[];
  readonly peak: number;
  readonly winners: ReadonlySet<string>;
  readonly reactionMs?: number | undefined;
}): Result {
  const wanted = Math.max(...options.streams.map(wantedAtPeak));
  const silent = options.streams
    .filter((stream) => !options.winners.has(stream.metric))
    .map((stream) => stream.metric);
  const complaint =
    options.peak !== wanted
      ? `peaked at ${options.peak}`
      : silent.length > 0
        ? `${silent.join(", ")} never decided`
        : undefined;
  return {
    workload: options.workload,
    formulas: options.streams.map(formula),
    wanted,
    peak: options.peak,
    winners: [...options.winners],
    complaint,
    reactionMs: options.reactionMs,
  };
}

/** A line for each stream, the explanation on the first one. */
export function renderSummary(results: readonly Result[]): readonly string[] {
  const widest = Math.max(...results.flatMap(({ formulas }) => formulas.map(({ length }) => length)));
  return results.flatMap(({ workload, formulas, wanted, peak, complaint, reactionMs }) => {
    const [first = "", ...others] = formulas;
    const indent = " ".repeat(9);
    return [
      `${workload.padEnd(9)}${first.padEnd(widest + 2)}wanted ${wanted}   peak ${peak}${complaint === undefined ? "   agrees" : ""}`,
      ...others.map((formula) => `${indent}${formula}`),
      ...(reactionMs === undefined
        ? []
        : [`${indent}scaled up ${(reactionMs / 1000).toFixed(1)} s after the load rose`]),
      ...(complaint === undefined ? [] : [`${indent}DISAGREES: ${complaint}`]),
    ];
  });
}

function formula(stream: Stream): string {
  return `⌈${stream.peak} ÷ ${stream.perReplica} ${stream.unit}⌉ = ${wantedAtPeak(stream)}`;
}
