// Bounds how many query slots of Prometheus tenants take, with those that their unanswered queries may still take.
import { type CacheMeter, type Clock, steadyNowMs } from "@plimsoll/component-base";
import type { Counts, Limit } from "./counts.ts";
import {
  createTenantHistory,
  cutPauseMs,
  type Refusal,
  type TenantHistory,
  type TenantQuery,
} from "./tenant-history.ts";

/** A query that takes a place. */
export interface TenantRun {
  /** By the steady clock. */
  readonly sinceMs: number;
  /** Prometheus has answered, or never got the query. */
  ended(end: TenantEnd, isGeneral: boolean): void;
  /** Its caller has left without a response. */
  left(end: TenantEnd, isGeneral: boolean): void;
  /** After it was left: whether Prometheus has answered since then, or it can no longer be known. */
  settled(isAnswered: boolean): void;
}

export type TenantEnd = "succeeded" | "timeout" | "failed";

interface Run {
  readonly query: TenantQuery;
  readonly keys: readonly string[];
  readonly sinceMs: number;
  /** Its timeout has been counted. */
  isCounted: boolean;
  /** Undefined while its connection shows whether it runs. */
  heldUntilMs: number | undefined;
}

/** Of all tenants. */
const TENANTS = "tenants";
/** Of these, queries that have not succeeded lately. */
const UNPROVEN = "unproven of tenants";
/** Of these, queries of namespaces that timed out once more after a pause: others find a place beside them. */
const REPEATED = "repeated of tenants";
/** A query without an answer for this long has timed out, whoever waited for it. */
const LATE_MS = 10_000;
/** How soon to look again whether a query still runs. */
const LOOK_AGAIN_MS = 30_000;

/**
 * A query that a tenant wrote takes a place until Prometheus has answered, whether or not its caller still waits:
 * neither a timeout nor a closed connection ends a query that hangs in one call.
 * @param max queries of tenants that the server evaluates at a time
 */
export function createTenantPlaces(
  max: number,
  counts: Counts,
  {
    clock,
    meter,
    wasAwaySince,
  }: {
    readonly clock: Clock;
    readonly meter?: CacheMeter | undefined;
    /** Whether there was no server at some time since then, by the steady clock. */
    readonly wasAwaySince: (sinceMs: number) => boolean;
  },
) {
  const history = createTenantHistory(clock, meter);
  const limits = limitsOf(max);
  const runs = createRuns(counts, history, { nowMs: () => steadyNowMs(clock), wasAwaySince });

  const isRepeated = ({ namespace }: TenantQuery): boolean => history.timeouts(namespace) > 1;

  /** A namespace takes no more than it leaves to the others. */
  const over = (key: string, max: number, { namespace }: TenantQuery): Limit | undefined =>
    max - counts.of(key) > counts.of(`${key} ${namespace}`) ? undefined : limitOf(key, max);

  return {
    /** Queries whose callers have left, and that may still run in Prometheus. */
    unanswered: runs.unanswered,
    /** Why the query is refused at once, and does not wait. */
    refusal: (query: TenantQuery): Refusal | undefined =>
      history.refusal(query, runs.busyUntilMs(query.namespace)),
    /** The first limit that is reached; undefined when the query may start. */
    exceeded(query: TenantQuery): Limit | undefined {
      runs.refresh();
      const ofAll = over(TENANTS, limits.all, query);
      if (ofAll !== undefined || history.isProven(query)) return ofAll;
      const alone = `${UNPROVEN} ${query.namespace}`;
      if (counts.of(alone) > 0) return limitOf(alone, 1);
      const ofRepeated = isRepeated(query) ? over(REPEATED, limits.repeated, query) : undefined;
      return ofRepeated ?? over(UNPROVEN, limits.unproven, query);
    },
    begin(query: TenantQuery): TenantRun {
      const groups = [TENANTS];
      if (!history.isProven(query)) groups.push(UNPROVEN);
      if (!history.isProven(query) && isRepeated(query)) groups.push(REPEATED);
      return runs.begin(
        query,
        groups.flatMap((key) => [key, `${key} ${query.namespace}`]),
      );
    },
  };
}

interface Runs {
  begin(query: TenantQuery, keys: readonly string[]): TenantRun;
  /**
   * Frees places whose time is over, and counts the timeouts of queries whose callers left early. Returns those that
   * were left and may still run.
   */
  refresh(): readonly Run[];
  /** Until then a query of the namespace that timed out may run; 0 for none. */
  busyUntilMs(namespace: string): number;
  unanswered(): number;
}

interface RunDeps {
  readonly nowMs: () => number;
  readonly wasAwaySince: (sinceMs: number) => boolean;
}

function createRuns(counts: Counts, history: TenantHistory, deps: RunDeps): Runs {
  const { nowMs, wasAwaySince } = deps;
  const left = createLeftRuns(counts, deps);
  /** Since a query succeeded that had timed out before: those of all namespaces may run at the same time. */
  let repeatedCuts = 0;

  const countTimeout = (run: Run, isCut: boolean, isGeneral = false): void => {
    run.isCounted = true;
    history.timedOut(run.query, { sinceMs: run.sinceMs, isCut, isGeneral });
  };

  const countIfLate = (run: Run): void => {
    if (!run.isCounted && nowMs() - run.sinceMs >= LATE_MS) countTimeout(run, false);
  };

  const refresh = (): readonly Run[] => {
    const runs = left.current();
    for (const run of runs) countIfLate(run);
    return runs;
  };

  const hold = (run: Run): void => {
    countTimeout(run, true);
    if (history.timeouts(run.query.namespace) > 1) repeatedCuts += 1;
    const ofAllMs = repeatedCuts === 0 ? 0 : nowMs() + cutPauseMs(repeatedCuts);
    run.heldUntilMs = Math.max(history.pausedUntilMs(run.query.namespace), ofAllMs);
  };

  const begun = (run: Run): TenantRun => ({
    sinceMs: run.sinceMs,
    ended(end, isGeneral) {
      left.free(run);
      if (end === "timeout") countTimeout(run, false, isGeneral);
      if (end === "succeeded" && history.succeeded(run.query)) repeatedCuts = 0;
    },
    left(end, isGeneral) {
      left.add(run);
      if (end === "timeout") countTimeout(run, false, isGeneral);
    },
    settled(isAnswered) {
      if (!isAnswered && !wasAwaySince(run.sinceMs)) return hold(run);
      countIfLate(run);
      left.free(run);
    },
  });

  return {
    refresh,
    busyUntilMs(namespace) {
      const late = refresh().filter(({ isCounted, query }) => isCounted && query.namespace === namespace);
      return Math.max(0, ...late.map(({ heldUntilMs }) => heldUntilMs ?? nowMs() + LOOK_AGAIN_MS));
    },
    unanswered: () => refresh().length,
    begin(query, keys) {
      counts.add(keys, 1);
      return begun({ query, keys, sinceMs: nowMs(), isCounted: false, heldUntilMs: undefined });
    },
  };
}

/** Queries whose callers have left. There are no more than tenants have places. */
function createLeftRuns(counts: Counts, { nowMs, wasAwaySince }: RunDeps) {
  const left = new Set<Run>();
  const isOver = ({ heldUntilMs, sinceMs }: Run): boolean =>
    heldUntilMs !== undefined && (nowMs() >= heldUntilMs || wasAwaySince(sinceMs));
  const free = (run: Run): void => {
    left.delete(run);
    counts.add(run.keys, -1);
  };
  return {
    /** Those that may still run; the places of the others are free from now on. */
    current(): readonly Run[] {
      for (const run of left) if (isOver(run)) free(run);
      return [...left];
    },
    add: (run: Run) => void left.add(run),
    /** Frees the place of a query, whether or not it was left. */
    free,
  };
}

function limitOf(key: string, max: number): Limit {
  // To end one that is stalled frees no slot.
  return { key, max, maxStalled: Number.POSITIVE_INFINITY };
}

/** Queries that work always find a place beside those that may hang, and new ones beside those that hung before. */
function limitsOf(all: number): Record<"all" | "unproven" | "repeated", number> {
  const unproven = Math.max(1, all - 1);
  return { all, unproven, repeated: Math.max(1, unproven - 2) };
}
