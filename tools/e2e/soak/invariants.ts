// What must hold at every moment: pure checks, which the watcher feeds.

/** An active object that may write the replicas of a target. */
export interface Claimant {
  readonly name: string;
  readonly minReplicas: number;
  readonly maxReplicas: number;
}

export interface ScaleWrite {
  readonly target: string;
  readonly replicas: number;
  /** The user that wrote, and the one that owns the lease; undefined when there is none. */
  readonly writer: string | undefined;
  readonly leader: string | undefined;
  readonly atMs: number;
}

export interface WriteCheck {
  /** The claimants of a target from now on. */
  claimed(target: string, claimants: readonly Claimant[], atMs: number): void;
  /** What is wrong with a write. */
  written(write: ScaleWrite): readonly string[];
}

interface Claims {
  readonly sinceMs: number;
  readonly claimants: readonly Claimant[];
}

/** `graceMs`: a decision may rest on a spec that was replaced so long ago. */
export function createWriteCheck(graceMs: number): WriteCheck {
  const claims = new Map<string, Claims[]>();
  return {
    claimed(target, claimants, sinceMs) {
      const before = (claims.get(target) ?? []).filter(
        (_, index, all) => (all[index + 1]?.sinceMs ?? sinceMs) >= sinceMs - graceMs,
      );
      claims.set(target, [...before, { sinceMs, claimants }]);
    },
    written(write) {
      const known = claims.get(write.target) ?? [];
      const inForce = known.filter(
        (_, index) => (known[index + 1]?.sinceMs ?? Infinity) >= write.atMs - graceMs,
      );
      return [wrongWriter(write), wrongReplicas(write, inForce)].filter((one) => one !== undefined);
    },
  };
}

function wrongWriter({ target, writer, leader, replicas }: ScaleWrite): string | undefined {
  if (writer !== undefined && writer === leader) return undefined;
  return `${writer ?? "an unknown client"} wrote ${replicas} replicas of ${target}; the leader is ${leader ?? "unknown"}`;
}

function wrongReplicas({ target, replicas }: ScaleWrite, inForce: readonly Claims[]): string | undefined {
  const single = inForce.map(({ claimants }) => claimants).filter(({ length }) => length === 1);
  if (single.length === 0) {
    const names = inForce.flatMap(({ claimants }) => claimants.map(({ name }) => name));
    return names.length === 0
      ? `${replicas} replicas of ${target} were written, which no object scales`
      : `${replicas} replicas of ${target} were written, which several objects scale: ${names.join(", ")}`;
  }
  const isWithin = single
    .flat()
    .some(({ minReplicas, maxReplicas }) => replicas >= minReplicas && replicas <= maxReplicas);
  if (isWithin) return undefined;
  const limits = single.flat().map((one) => `${one.name} ${one.minReplicas} to ${one.maxReplicas}`);
  return `${replicas} replicas of ${target} are outside of ${limits.join(", ")}`;
}

export interface PeriodCheck {
  /** Something has to happen to it again and again from now on, at most `maxMs` apart. */
  born(name: string, atMs: number, maxMs: number): void;
  gone(name: string): void;
  happened(name: string, atMs: number): void;
  /**
   * A time that no process is blamed for, e.g. until the lease of a killed leader ends. Without an end it lasts until
   * the returned function is called.
   */
  excuse(fromMs: number, toMs?: number): (toMs: number) => void;
  /** How much of a time is excused. */
  excusedMs(fromMs: number, toMs: number): number;
  /** What did not happen in time: once when it is late, and once more with the whole time when it has happened. */
  look(nowMs: number): readonly Missed[];
  /** The longest time since the last call, less what was excused. */
  takeMaxMs(): number;
}

export interface Missed {
  readonly name: string;
  readonly tookMs: number;
  readonly maxMs: number;
  readonly isOver: boolean;
}

interface Excuse {
  readonly fromMs: number;
  toMs: number;
}

interface Tracked {
  readonly maxMs: number;
  lastMs: number;
  isNamed: boolean;
}

export function createPeriodCheck(): PeriodCheck {
  const tracked = new Map<string, Tracked>();
  let excuses: Excuse[] = [];
  let maxTookMs = 0;
  const missed: Missed[] = [];

  const excusedMs = (fromMs: number, toMs: number) =>
    excuses.reduce(
      (sum, one) => sum + Math.max(0, Math.min(one.toMs, toMs) - Math.max(one.fromMs, fromMs)),
      0,
    );
  const check = (name: string, one: Tracked, { nowMs, isOver }: { nowMs: number; isOver: boolean }): void => {
    const tookMs = nowMs - one.lastMs - excusedMs(one.lastMs, nowMs);
    maxTookMs = Math.max(maxTookMs, tookMs);
    if (tookMs <= one.maxMs || (one.isNamed && !isOver)) return;
    one.isNamed = true;
    missed.push({ name, tookMs, maxMs: one.maxMs, isOver });
  };
  return {
    born: (name, atMs, maxMs) => tracked.set(name, { maxMs, lastMs: atMs, isNamed: false }),
    gone: (name) => tracked.delete(name),
    happened(name, atMs) {
      const one = tracked.get(name);
      if (one === undefined) return;
      check(name, one, { nowMs: atMs, isOver: true });
      one.lastMs = Math.max(one.lastMs, atMs);
      one.isNamed = false;
    },
    excuse(fromMs, toMs = Infinity) {
      const excuse: Excuse = { fromMs, toMs };
      excuses.push(excuse);
      return (endedMs) => {
        excuse.toMs = endedMs;
      };
    },
    excusedMs,
    look(nowMs) {
      for (const [name, one] of tracked) check(name, one, { nowMs, isOver: false });
      const firstMs = Math.min(...[...tracked.values()].map(({ lastMs }) => lastMs));
      excuses = excuses.filter(({ toMs }) => toMs > firstMs);
      return missed.splice(0);
    },
    takeMaxMs() {
      const taken = maxTookMs;
      maxTookMs = 0;
      return taken;
    },
  };
}

/** Names of deleted objects that are label values still, after the grace. */
export function remainsOf(
  deleted: ReadonlyMap<string, number>,
  labelValues: ReadonlySet<string>,
  { nowMs, graceMs }: { readonly nowMs: number; readonly graceMs: number },
): readonly string[] {
  return [...deleted]
    .filter(([name, atMs]) => nowMs - atMs > graceMs && labelValues.has(name))
    .map(([name]) => name);
}
