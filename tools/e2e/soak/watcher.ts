// Watches the cluster and /metrics, and collects what does not hold.
import { monitorEventLoopDelay } from "node:perf_hooks";
import { watchCluster } from "./cluster-watch.ts";
import type { Scrape } from "./exposition.ts";
import { createPeriodCheck, type Missed, type PeriodCheck, remainsOf } from "./invariants.ts";
import { cronSeconds, type SoakObject } from "./manifests.ts";
import { type MetricsWatch, watchMetrics } from "./metrics-watch.ts";
import { scrapeTimeoutMs } from "./processes.ts";
import { periodMs, type SoakStack } from "./stack.ts";

export interface Watcher {
  /** The soak created an object, or is about to delete it. */
  created(object: SoakObject): void;
  deleted(object: SoakObject): void;
  /** From now on no process is blamed, for so long or until the returned function is called. */
  excuse(forMs?: number): () => void;
  /** The same for the runs of cron jobs alone. */
  excuseCrons(forMs: number): void;
  /** The last scrape of a process, by its name. */
  scrapeOf(process: string): Scrape | undefined;
  /** What was found since the last call. */
  takeFindings(): readonly string[];
  /** Figures since the last call, for a progress line. */
  take(): Counts & { readonly maxGapMs: number };
  stop(): Promise<void>;
}

export interface Counts {
  readonly writes: number;
  readonly evaluations: number;
  readonly maxScrapeMs: number;
}

/** One turn late, and what a machine with other work adds; delays of this process come on top. */
const maxGapMs = 2 * periodMs + 2000;
const cronGapMs = cronSeconds * 1000 + 3000;
const remainsGraceMs = 2 * periodMs + 3000;
/** From then on a delay of this process, in which the API server runs, is no fault of the others. */
const minStallMs = 100;
const noCounts: Counts = { writes: 0, evaluations: 0, maxScrapeMs: 0 };
const nowMs = () => performance.now();

interface Checks {
  readonly evaluations: PeriodCheck;
  readonly crons: PeriodCheck;
  readonly objects: Map<string, SoakObject>;
  readonly deletedAtMs: Map<string, number>;
  readonly findings: Set<string>;
  counts: Counts;
}

export function watch(stack: SoakStack): Watcher {
  const checks: Checks = {
    evaluations: createPeriodCheck(),
    crons: createPeriodCheck(),
    objects: new Map(),
    deletedAtMs: new Map(),
    findings: new Set(),
    counts: noCounts,
  };
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  const metrics = followMetrics(stack, checks);
  const unsubscribe = watchCluster(stack, {
    written(deployment, findings) {
      checks.counts = { ...checks.counts, writes: checks.counts.writes + 1 };
      for (const { kind, name, target } of checks.objects.values())
        if (kind === "cron" && target === deployment) checks.crons.happened(name, nowMs());
      for (const finding of findings) checks.findings.add(finding);
    },
    gone: (name) => void checks.deletedAtMs.set(name, nowMs()),
  });
  return {
    ...followObjects(checks),
    excuse(forMs = Infinity) {
      const ends = [checks.evaluations, checks.crons].map((one) => one.excuse(nowMs(), nowMs() + forMs));
      return () => {
        for (const end of ends) end(nowMs());
      };
    },
    excuseCrons: (forMs) => void checks.crons.excuse(nowMs(), nowMs() + forMs),
    scrapeOf: metrics.of,
    takeFindings() {
      const stallMs = delay.max / 1e6;
      delay.reset();
      return findingsOf(checks, stallMs);
    },
    take() {
      const taken = { ...checks.counts, maxGapMs: checks.evaluations.takeMaxMs() };
      checks.counts = noCounts;
      return taken;
    },
    async stop() {
      unsubscribe();
      delay.disable();
      await metrics.stop();
    },
  };
}

function followObjects({ objects, evaluations, crons }: Checks): Pick<Watcher, "created" | "deleted"> {
  return {
    created(object) {
      objects.set(object.name, object);
      // Those that only move limits decide nothing; the first run of a job may find the size that it wants.
      if (object.kind === "cron") crons.born(object.name, nowMs() + cronSeconds * 1000, cronGapMs);
      else if (object.kind !== "bounds") evaluations.born(object.name, nowMs(), maxGapMs);
    },
    deleted({ name }) {
      objects.delete(name);
      evaluations.gone(name);
      crons.gone(name);
    },
  };
}

function followMetrics(stack: SoakStack, checks: Checks): MetricsWatch {
  const { findings, deletedAtMs, evaluations } = checks;
  const decided = new Map<string, number>();
  return watchMetrics(stack, {
    read(process, scrape, tookMs) {
      const fresh = [...scrape.decidedAt].filter(([name, at]) => decided.get(`${process}/${name}`) !== at);
      for (const [name, at] of fresh) {
        decided.set(`${process}/${name}`, at);
        evaluations.happened(name, nowMs());
      }
      const { counts } = checks;
      checks.counts = {
        ...counts,
        evaluations: counts.evaluations + fresh.length,
        maxScrapeMs: Math.max(counts.maxScrapeMs, tookMs),
      };
      const remaining = remainsOf(deletedAtMs, scrape.owners, { nowMs: nowMs(), graceMs: remainsGraceMs });
      for (const name of remaining)
        findings.add(`${process} still has ${name} in /metrics, which was deleted`);
      for (const [name, value] of scrape.crashes)
        if (value > 0) findings.add(`${process}: ${name} is ${value}`);
    },
    failed(finding) {
      // One that was stopped for a sample could not answer.
      if (evaluations.excusedMs(nowMs() - scrapeTimeoutMs, nowMs()) === 0) findings.add(finding);
    },
  });
}

function findingsOf({ evaluations, crons, findings }: Checks, stallMs: number): readonly string[] {
  for (const [what, check] of [
    ["evaluated", evaluations],
    ["run", crons],
  ] as const) {
    if (stallMs > minStallMs) check.excuse(nowMs() - stallMs, nowMs());
    const missed = check.look(nowMs());
    for (const group of Map.groupBy(missed, ({ isOver }) => isOver).values())
      findings.add(missedLine(what, group));
  }
  const taken = [...findings];
  findings.clear();
  return taken;
}

function missedLine(what: string, missed: readonly Missed[]): string {
  const took = Math.round(Math.max(...missed.map(({ tookMs }) => tookMs)));
  const names = missed.map(({ name }) => name).join(", ");
  const when = missed[0]?.isOver ? `${what} after` : `not ${what} for`;
  return `${when} ${took} ms, at most ${missed[0]?.maxMs} ms: ${names}`;
}
