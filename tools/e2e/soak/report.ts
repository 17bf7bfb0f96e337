// What a soak prints and writes.
import { type Growth, growthOf, growthOfCollections, type Sample } from "./growth.ts";

/** The time of a process as the leader, or as one that waits: the two have very different figures. */
export interface Life {
  readonly process: string;
  readonly isLeader: boolean;
  readonly samples: Sample[];
}

function nameOf({ process, isLeader }: Life): string {
  return isLeader ? `${process} (leader)` : process;
}

export interface SoakRecord {
  readonly seed: number;
  readonly durationMs: number;
  readonly events: { readonly atMs: number; readonly event: string }[];
  readonly findings: { readonly atMs: number; readonly finding: string }[];
  readonly lives: Life[];
}

export interface Outcome {
  readonly findings: readonly string[];
  readonly growth: readonly (Growth & { readonly life: string })[];
}

/**
 * The beginning of a life is not checked: code is compiled, and what is forgotten by age, after ten minutes at most, fills.
 * Collections are checked only after that.
 */
const warmUpShare = 0.4;
const maxWarmUpMs = 12 * 60_000;
const maxFindings = 200;

export function outcomeOf(record: SoakRecord): Outcome {
  const growth = record.lives.flatMap((life) => {
    const { samples } = life;
    const bornMs = samples[0]?.atMs ?? 0;
    const after = (ms: number) => samples.filter(({ atMs }) => atMs >= bornMs + ms);
    const lifeMs = (samples.at(-1)?.atMs ?? 0) - bornMs;
    const created = record.events.filter(
      ({ atMs, event }) => atMs >= bornMs + maxWarmUpMs && event.includes('"create"'),
    ).length;
    const rows = [
      ...growthOf(after(Math.min(maxWarmUpMs, lifeMs * warmUpShare))),
      ...growthOfCollections(after(maxWarmUpMs), created),
    ];
    return rows.map((one) => ({ ...one, life: nameOf(life) }));
  });
  const grown = growth
    .filter(({ isTooMuch }) => isTooMuch)
    .map(
      (one) =>
        `${one.life}: ${one.what} grew by ${figure(one.growth)} (${figure(one.perHour)} an hour), at most ${figure(one.allowed)}`,
    );
  const unchecked = growth.length === 0 ? ["too few samples: no growth was checked"] : [];
  return {
    findings: [
      ...record.findings.slice(0, maxFindings).map(({ finding }) => finding),
      ...grown,
      ...unchecked,
    ],
    growth,
  };
}

export function minuteLine(minute: {
  readonly atMs: number;
  readonly writes: number;
  readonly evaluations: number;
  readonly maxGapMs: number;
  readonly maxScrapeMs: number;
  readonly pods: number;
  readonly lives: readonly Life[];
}): string {
  const processes = minute.lives.map((life) => {
    const name = nameOf(life);
    const last = life.samples.at(-1);
    if (last === undefined) return `${name} starts`;
    return `${name} ${last.heapMiB.toFixed(1)} MiB, ${last.handles} fds, ${last.timers} timers, ${last.series} series`;
  });
  return [
    `${(minute.atMs / 60_000).toFixed(1).padStart(6)} min`,
    `${minute.pods} pods, ${minute.evaluations} evaluations, ${minute.writes} scales, longest wait ${Math.round(minute.maxGapMs)} ms, slowest scrape ${Math.round(minute.maxScrapeMs)} ms`,
    ...processes,
  ].join(" | ");
}

const columns = ["process", "figure", "first", "last", "growth", "an hour", "allowed", ""] as const;

export function summaryLines(record: SoakRecord, { growth, findings }: Outcome): readonly string[] {
  const rows = growth.map((one) => [
    one.life,
    one.what,
    ...[one.first, one.last, one.growth, one.perHour, one.allowed].map(figure),
    one.isTooMuch ? "GROWS" : "ok",
  ]);
  const all = [[...columns], ...rows];
  const widths = columns.map((_, column) => Math.max(...all.map((row) => (row[column] ?? "").length)));
  const table = all.map((row) =>
    row
      .map((cell, column) =>
        column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join("  "),
  );
  const count = record.events.length;
  return [
    "",
    ...table,
    "",
    ...findings.map((finding) => `RED ${finding}`),
    `seed ${record.seed}: ${count} actions and disruptions, ${findings.length} findings`,
  ];
}

function figure(value: number): string {
  return Math.abs(value) < 100 ? value.toFixed(1) : String(Math.round(value));
}
