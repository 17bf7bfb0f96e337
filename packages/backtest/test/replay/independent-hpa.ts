// An HPA simulated by the published algorithm alone, with what other hands do to it. It shares no code with the replay.
// https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/#algorithm-details
import type { RecordedPod, Recording } from "../../src/index.ts";

export const fromMs = Date.UTC(2026, 4, 4);
export const periodMs = 15_000;
const firstSyncMs = 5_000;
const scrapeOffsetMs = 3_210;
export const scrapeMs = 30_000;

interface Policy {
  readonly type: "Pods" | "Percent";
  readonly value: number;
  readonly periodSeconds: number;
}

export interface Rules {
  readonly minReplicas: number;
  readonly maxReplicas: number;
  /** Of one pod, in thousandths. */
  readonly targetMilli: number;
  readonly up: Direction;
  readonly down: Direction;
}

interface Direction {
  readonly stabilizationWindowSeconds: number;
  readonly policies: readonly Policy[];
}

/** What happens to the loop, in milliseconds after its begin. */
export interface Plan {
  readonly rules: Rules;
  readonly durationMs: number;
  readonly seed: number;
  /** The load of the whole target. */
  readonly load: (atMs: number) => number;
  readonly restartAtMs?: number;
  readonly byHand?: { readonly atMs: number; readonly replicas: number };
  /** No metric is served, and nothing is scraped. */
  readonly outage?: { readonly fromMs: number; readonly toMs: number };
}

interface SimulatedPod {
  readonly name: string;
  readonly createdMs: number;
  readonly readyMs: number;
  /** From when on its metric is there. */
  readonly sampledMs: number;
  deletedMs?: number;
}

interface Memory {
  recommendations: { readonly atMs: number; readonly replicas: number }[];
  events: { readonly atMs: number; readonly change: number }[];
}

/** Mulberry32. */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Ratio, tolerance, and pods without a metric: at the target when it scales down, at nothing when it scales up. */
function proposalOf(current: number, pods: number, values: readonly number[], targetMilli: number): number {
  if (values.length === 0) return current;
  const sum = values.reduce((all, one) => all + one, 0);
  const ratioOf = (total: number, count: number): number => Math.trunc(total / count) / targetMilli;
  const isTolerated = (ratio: number): boolean => Math.abs(1 - ratio) <= 0.1;
  const ratio = ratioOf(sum, values.length);
  const missing = pods - values.length;
  if (missing === 0) return isTolerated(ratio) ? current : Math.ceil(ratio * values.length);
  const filled = ratioOf(sum + (ratio < 1 ? missing * targetMilli : 0), pods);
  if (isTolerated(filled) || (ratio < 1 && filled > 1) || (ratio > 1 && filled < 1)) return current;
  const proposed = Math.ceil(filled * pods);
  const isTurned = (filled < 1 && proposed > current) || (filled > 1 && proposed < current);
  return isTurned ? current : proposed;
}

/** What an evaluation has beside its proposal. */
interface Moment {
  readonly nowMs: number;
  readonly current: number;
  readonly rules: Rules;
  readonly memory: Memory;
}

function stabilized(proposed: number, { current, rules: { up, down }, memory, nowMs }: Moment): number {
  const within = (seconds: number): readonly number[] =>
    memory.recommendations
      .filter(({ atMs }) => atMs > nowMs - seconds * 1000)
      .map(({ replicas }) => replicas);
  const least = Math.min(proposed, ...within(up.stabilizationWindowSeconds));
  const most = Math.max(proposed, ...within(down.stabilizationWindowSeconds));
  return Math.min(Math.max(current, least), most);
}

/** The policy that allows the most change counts. */
function limitOf(
  { policies }: Direction,
  sign: 1 | -1,
  { current, memory: { events }, nowMs }: Moment,
): number {
  const limits = policies.map(({ type, value, periodSeconds }) => {
    const changed = events
      .filter(({ atMs }) => atMs > nowMs - periodSeconds * 1000)
      .reduce((sum, { change }) => sum + change, 0);
    const start = current - changed;
    if (type === "Pods") return start + sign * value;
    return sign > 0 ? Math.ceil(start * (1 + value / 100)) : Math.trunc(start * (1 - value / 100));
  });
  return sign > 0 ? Math.max(current, ...limits) : Math.min(current, ...limits);
}

/** Decides as one evaluation does, and remembers it. */
function decide(proposed: number, moment: Moment): number {
  const { nowMs, current, rules, memory } = moment;
  if (memory.recommendations.length === 0) memory.recommendations.push({ atMs: nowMs, replicas: current });
  const calm = stabilized(proposed, moment);
  memory.recommendations.push({ atMs: nowMs, replicas: proposed });
  const up = Math.min(rules.maxReplicas, limitOf(rules.up, 1, moment));
  const down = Math.max(rules.minReplicas, limitOf(rules.down, -1, moment));
  const bounded = calm > current ? Math.min(calm, up) : Math.max(calm, down);
  const desired = Math.min(rules.maxReplicas, Math.max(rules.minReplicas, bounded));
  if (desired !== current) memory.events.push({ atMs: nowMs, change: desired - current });
  return desired;
}

export interface Simulated {
  readonly recording: Recording;
  /** When the count really moved. */
  readonly moves: readonly Move[];
}

interface Move {
  readonly atMs: number;
  readonly to: number;
}

/** The pods of the target, and its count. */
function createTarget(random: () => number, replicas: number) {
  const pods: SimulatedPod[] = [];
  const moves: Move[] = [];
  const add = (to: number, createdMs: number): void => {
    const living = pods.filter(({ deletedMs }) => deletedMs === undefined);
    for (let n = living.length; n < to; n++) {
      const readyMs = createdMs + 12_000 + Math.floor(random() * 20_000);
      pods.push({ name: `shop-${pods.length}`, createdMs, readyMs, sampledMs: readyMs + 10_000 });
    }
    for (const pod of living.slice(to)) pod.deletedMs = createdMs;
  };
  add(replicas, -600_000);
  return {
    pods,
    moves,
    count: (): number => moves.at(-1)?.to ?? replicas,
    scaleTo(to: number, atMs: number): void {
      add(to, atMs + 300);
      moves.push({ atMs: atMs + 200, to });
    },
    /** Pods that are there, and what is measured of each: a share of the load. */
    measure(nowMs: number, load: number) {
      const living = pods.filter(({ deletedMs }) => deletedMs === undefined || deletedMs > nowMs);
      const each = load / Math.max(1, living.filter(({ readyMs }) => readyMs <= nowMs).length);
      const values = living
        .filter(({ sampledMs }) => sampledMs <= nowMs)
        .map(({ name: pod }) => ({ pod, milli: Math.round(each * (0.97 + 0.06 * random()) * 1000) }));
      return { count: living.length, values };
    },
  };
}

/** Runs the loop, and writes what a Prometheus that scrapes every 30 seconds knows of it. */
export function simulate(plan: Plan, object: unknown): Simulated {
  const { rules, outage, byHand, restartAtMs = Number.POSITIVE_INFINITY } = plan;
  const target = createTarget(randomOf(plan.seed), rules.minReplicas);
  const isAway = (atMs: number): boolean =>
    outage !== undefined && atMs >= outage.fromMs && atMs < outage.toMs;
  const syncs: number[] = [];
  const samples: Recording["metrics"][number]["samples"][number][] = [];
  const statuses: Recording["status"][number][] = [];
  let memory: Memory = { recommendations: [], events: [] };
  const isNow = (atMs: number, nowMs: number): boolean => atMs > nowMs - periodMs && atMs <= nowMs;
  for (let nowMs = firstSyncMs; nowMs < plan.durationMs; nowMs += periodMs) {
    if (byHand !== undefined && isNow(byHand.atMs, nowMs)) target.scaleTo(byHand.replicas, byHand.atMs);
    if (isNow(restartAtMs, nowMs)) memory = { recommendations: [], events: [] };
    const { count, values } = target.measure(nowMs, plan.load(nowMs));
    const [current, atMs] = [target.count(), fromMs + nowMs];
    syncs.push(atMs);
    if (isAway(nowMs)) continue;
    const millis = values.map(({ milli }) => milli);
    const proposed = proposalOf(current, count, millis, rules.targetMilli);
    const desired = decide(proposed, { nowMs, current, rules, memory });
    if (desired !== current) target.scaleTo(desired, nowMs);
    samples.push({ atMs, values: values.map(({ pod, milli }) => ({ pod, value: milli / 1000 })) });
    const mean = millis.reduce((sum, one) => sum + one, 0) / Math.max(1, millis.length) / 1000;
    const counts = { currentReplicas: current, desiredReplicas: desired };
    statuses.push({ atMs: atMs + 400, ...counts, values: [mean], scalingActive: true });
  }
  const { pods, moves } = target;
  const { scale, status } = scraped(plan, moves, statuses, isAway);
  const span = { fromMs, toMs: fromMs + plan.durationMs };
  const gaps = outage === undefined ? [] : [{ fromMs: fromMs + outage.fromMs, toMs: fromMs + outage.toMs }];
  const recording: Recording = {
    version: 1,
    target: { namespace: "web", kind: "Deployment", name: "shop" },
    span,
    autoscaler: { object, changes: [] },
    syncs: { atMs: syncs, clock: "known" },
    pods: pods.map(recordedPod),
    scale,
    metrics: [{ index: 0, level: "series", samples, gaps }],
    status,
  };
  return { moves, recording };
}

/** The count and the status at each scrape. */
function scraped(
  { rules, durationMs }: Plan,
  moves: readonly Move[],
  statuses: Recording["status"],
  isAway: (atMs: number) => boolean,
): Pick<Recording, "scale" | "status"> {
  const scale = [{ atMs: fromMs, earliestMs: fromMs, value: rules.minReplicas }];
  const status: Recording["status"][number][] = [];
  let lastMs = fromMs;
  for (let ms = scrapeOffsetMs; ms < durationMs; ms += scrapeMs) {
    if (isAway(ms)) continue;
    const atMs = fromMs + ms;
    const value = moves.findLast((move) => move.atMs <= ms)?.to ?? rules.minReplicas;
    if (value !== scale.at(-1)?.value) scale.push({ atMs, earliestMs: lastMs, value });
    const shown = statuses.findLast((one) => one.atMs <= atMs);
    if (shown !== undefined) status.push({ ...shown, atMs });
    lastMs = atMs;
  }
  return { scale, status };
}

/** kube-state-metrics has whole seconds. */
function recordedPod({ name, createdMs, readyMs, deletedMs }: SimulatedPod): RecordedPod {
  const second = (ms: number): number => Math.floor((fromMs + ms) / 1000) * 1000;
  return {
    name,
    createdMs: second(createdMs),
    startedMs: second(createdMs),
    ready: [{ fromMs: second(readyMs) }],
    ...(deletedMs === undefined ? {} : { deletedMs: second(deletedMs), goneMs: second(deletedMs) + 20_000 }),
    requests: {},
    uncertaintyMs: 1000,
  };
}
