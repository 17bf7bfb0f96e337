import { readFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { ProbeAnswer } from "./probe-protocol.ts";
import { unreadable } from "./readable.ts";
import type { HostileStack } from "./stack.ts";
import { cronMs, periodMs } from "./victim.ts";

/** What the victim saw in a while. */
export interface Seen extends ProbeAnswer {
  readonly cronGapMs: number;
  readonly rssMb: Readonly<Record<string, number>>;
  readonly cpuSeconds: Readonly<Record<string, number>>;
  /** Texts that hold what they must not, and requests to where none may go; each in a line. */
  readonly unreadable: readonly string[];
  /** Processes that ended by themselves. */
  readonly ended: readonly string[];
  /** The longest time for which this process, in which the API server runs, was blocked. */
  readonly ownStallMs: number;
}

export interface Observer {
  /** Since the last look. `errors`: those that the tenant got. */
  look(errors?: Iterable<string>): Promise<Seen>;
  /** Forgets what was seen so far, after other processes were started. */
  reset(): void;
  stop(): void;
}

/** Watches memory and ends of the processes, and asks the probe for the rest. */
export function observe(stack: HostileStack): Observer {
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  let rss: Record<string, number> = {};
  let cpuBefore: Readonly<Record<string, number>> = {};
  const ended = new Set<string>();
  const sample = () => {
    for (const [name, pid] of processes(stack)) {
      const mb = rssOf(pid);
      if (mb === undefined) ended.add(name);
      else rss[name] = Math.max(rss[name] ?? 0, mb);
    }
  };
  const timer = setInterval(sample, 500);
  const reset = () => {
    rss = {};
    ended.clear();
    delay.reset();
  };
  return {
    async look(errors = []) {
      sample();
      const answer = await stack.probe();
      const { trespasses } = await stack.pages();
      const cpu = Object.fromEntries(processes(stack).map(([name, pid]) => [name, cpuSecondsOf(pid)]));
      // Less than before: another process has its place.
      const used = Object.entries(cpu).map(([name, s]) => {
        const before = cpuBefore[name] ?? 0;
        return [name, s < before ? s : s - before] as const;
      });
      cpuBefore = cpu;
      const seen = {
        ...answer,
        cpuSeconds: Object.fromEntries(used),
        cronGapMs: stack.cron.look(),
        rssMb: rss,
        unreadable: [...trespasses, ...unreadable(stack, errors)],
        ended: [...ended],
        ownStallMs: delay.max / 1e6,
      };
      reset();
      return seen;
    },
    reset,
    stop() {
      clearInterval(timer);
      delay.disable();
    },
  };
}

function processes({
  adapter,
  autoscalers,
  prometheus,
}: HostileStack): readonly (readonly [string, number])[] {
  return [
    ["Prometheus", prometheus.pid],
    ["adapter", adapter.pid],
    ...autoscalers.map(
      ({ pid }, index) => [index === 0 ? "autoscaler" : `autoscaler ${index + 1}`, pid] as const,
    ),
  ];
}

/** Undefined when there is no such process, or only its exit code is left. */
function rssOf(pid: number): number | undefined {
  try {
    const kb = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return kb === undefined ? undefined : Number(kb) / 1024;
  } catch {
    return undefined;
  }
}

/** User and system time of the whole life of a process; 0 when it is gone. */
function cpuSecondsOf(pid: number): number {
  try {
    // The name in parentheses may hold blanks.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / clockTicks;
  } catch {
    return 0;
  }
}

/** Of Linux, in a second. */
const clockTicks = 100;

/** What must hold, beside a baseline that was measured on the same machine without the hostile tenant. */
export interface Limits {
  readonly p99Ms: number;
  readonly queriesP99Ms: number;
  readonly livezMs: number;
  readonly gapMs: number;
  readonly cronGapMs: number;
  readonly rssMb: Readonly<Record<string, number>>;
}

/** So many times slower than without the hostile tenant, and never held to less than the floor. */
const ratio = 5;
const requestFloorMs = 1000;
/** The time in which a kubelet wants a response by default, doubled for machines that do other things as well. */
const livezFloorMs = 2000;
/** The interval, the second that the clock is in, and the time that a request takes. */
const liveAgeMs = 4000;
const rssGrowthMb = 320;
/** Of Prometheus, whose collector lets it grow to twice what its queries hold. */
const prometheusGrowthMb = 1024;

export function limitsFrom(baseline: Seen): Limits {
  const slack = Math.max(0, Math.max(...Object.values(baseline.gapsMs)) - periodMs);
  const cronSlack = Math.max(0, baseline.cronGapMs - cronMs);
  return {
    p99Ms: Math.max(requestFloorMs, ratio * baseline.p99Ms),
    queriesP99Ms: Math.max(requestFloorMs, ratio * baseline.queriesP99Ms),
    livezMs: Math.max(livezFloorMs, ratio * Math.max(...Object.values(baseline.livezMs))),
    gapMs: 2 * periodMs + slack,
    cronGapMs: cronMs + 2 * periodMs + cronSlack,
    rssMb: Object.fromEntries(
      Object.entries(baseline.rssMb).map(([name, mb]) => [
        name,
        mb + (name === "Prometheus" ? prometheusGrowthMb : rssGrowthMb),
      ]),
    ),
  };
}

/** What did not hold, each in a line; empty when all is well. */
export function violations(seen: Seen, limits: Limits): readonly string[] {
  const found: string[] = [
    ...seen.problems,
    ...seen.ended.map((name) => `${name} ended`),
    ...seen.unreadable,
  ];
  const over = (what: string, value: number, limit: number, unit: string) => {
    if (value > limit)
      found.push(`${what}: ${Math.round(value)} ${unit}, at most ${Math.round(limit)} ${unit}`);
  };
  const { stallMs } = seen;
  const forgivenMs = allStallMs(seen);
  if (seen.requests === 0) found.push("no request of the victim was answered");
  over("p99 of the victim's requests", seen.p99Ms, limits.p99Ms + forgivenMs, "ms");
  over("age of the victim's live values", seen.liveAgeMs, liveAgeMs + forgivenMs, "ms");
  if (seen.queries === 0) found.push("no query of the administrator was answered");
  over("p99 of the administrator's queries", seen.queriesP99Ms, limits.queriesP99Ms + forgivenMs, "ms");
  for (const [name, ms] of Object.entries(seen.livezMs))
    over(`/livez of ${name}`, ms, limits.livezMs + stallMs, "ms");
  for (const [name, ms] of Object.entries(seen.gapsMs))
    over(`time between evaluations of ${name}`, ms, limits.gapMs + forgivenMs, "ms");
  over("time between runs of the victim's cron jobs", seen.cronGapMs, limits.cronGapMs + forgivenMs, "ms");
  for (const [name, mb] of Object.entries(seen.rssMb)) {
    const limit = limits.rssMb[name.replace(/ \d+$/, "")];
    if (limit !== undefined) over(`memory of ${name}`, mb, limit, "MB");
  }
  return found;
}

/** Neither a machine that did not let the probe run is charged to the processes, nor an API server that was blocked. */
function allStallMs({ stallMs, ownStallMs }: Seen): number {
  return Math.max(stallMs, ownStallMs);
}

/** For a progress line. */
export function brief(seen: Seen): string {
  const rss = Object.entries(seen.rssMb).map(
    ([name, mb]) => `${name} ${Math.round(mb)} MB and ${(seen.cpuSeconds[name] ?? 0).toFixed(1)} s of CPU`,
  );
  const ms = (values: Readonly<Record<string, number>>) => Math.round(Math.max(0, ...Object.values(values)));
  return `p99 ${Math.round(seen.p99Ms)} ms and ${Math.round(seen.queriesP99Ms)} ms of Prometheus itself, livez ${ms(seen.livezMs)} ms, period ${ms(seen.gapsMs)} ms, live values of ${Math.round(seen.liveAgeMs)} ms, all stalled for ${Math.round(allStallMs(seen))} ms, ${rss.join(", ")}`;
}
