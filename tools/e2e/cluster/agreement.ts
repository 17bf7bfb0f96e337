import { isDeepStrictEqual } from "node:util";

/** The part of an HPA's status that a decision makes, without instants. */
export interface Comparison {
  readonly currentReplicas: number;
  readonly desiredReplicas: number;
  readonly currentMetrics: readonly unknown[];
  readonly conditions: readonly { type: string; status: string; reason: string; message: string }[];
}

/** A comparison, and when its controller came to it (ours) or it was seen in the cluster (the built-in one's). */
export interface Dated {
  readonly atMs: number;
  readonly comparison: Comparison;
}

export interface Agreement {
  /** Ours that the rule lets compare. */
  readonly compared: number;
  /** Of these, the ones that scale. */
  readonly scales: number;
  /** Ours about which the rule cannot say. */
  readonly notComparable: number;
  readonly disagreements: readonly { readonly ours: Dated; readonly builtIn: readonly Dated[] }[];
}

/**
 * For autoscalers whose behavior has no windows, so that a decision depends on nothing but its inputs. Two
 * controllers with the same period look at different moments and may see different samples while something moves.
 * A comparison of ours is compared with those of the built-in controller that stood in the cluster within `windowMs` of
 * it and name the same replicas and the very same metric values; one of them must be equal in desired replicas and
 * in every condition, to the letter. Two things that a comparison does not name make it incomparable: pods of the
 * target that changed between the two looks, and a scale that the built-in controller has made but not yet written
 * down in the status, from which conditions are carried over.
 * @param builtIn Oldest first; each one stands until the next.
 */
export function compareOnSameInputs(
  ours: readonly Dated[],
  builtIn: readonly Dated[],
  options: { readonly windowMs: number; readonly podMoves: readonly number[] },
): Agreement {
  return compare(ours, (own) => {
    const before = builtIn.findLast(({ atMs }) => atMs <= own.atMs)?.comparison;
    const { currentReplicas } = own.comparison;
    if (before?.currentReplicas !== currentReplicas && before?.desiredReplicas !== currentReplicas) return [];
    return builtIn.filter(({ atMs, comparison }, index) => {
      const endMs = builtIn[index + 1]?.atMs ?? Number.POSITIVE_INFINITY;
      if (atMs > own.atMs + options.windowMs || endMs < own.atMs - options.windowMs) return false;
      const fromMs = Math.min(own.atMs, Math.max(atMs, own.atMs - options.windowMs)) - watchDelayMs;
      const untilMs = atMs <= own.atMs ? own.atMs + watchDelayMs : atMs;
      const haveMoved = options.podMoves.some((moveMs) => moveMs > fromMs && moveMs < untilMs);
      return !haveMoved && sameInputs(comparison, own.comparison);
    });
  });
}

/** How much later one watch may have a change than another. */
const watchDelayMs = 200;

/**
 * For any autoscaler: what each controller remembers of the last minutes depends on the moments at which it looked,
 * so a comparison of ours is compared only when nothing has moved for longer than the windows. It must then be equal to
 * the one comparison of the built-in controller that stands in the cluster at that moment.
 * @param moves Instants at which the load, or a pod of the target, changed.
 */
export function compareAtRest(
  ours: readonly Dated[],
  builtIn: readonly Dated[],
  options: { readonly moves: readonly number[]; readonly restMs: number },
): Agreement {
  return compare(ours, (own) => {
    const isMoving = options.moves.some((atMs) => atMs > own.atMs - options.restMs && atMs <= own.atMs);
    const standing = builtIn.findLast(({ atMs }) => atMs <= own.atMs);
    return isMoving || standing === undefined ? [] : [standing];
  });
}

function compare(ours: readonly Dated[], counterparts: (own: Dated) => readonly Dated[]): Agreement {
  const disagreements: { ours: Dated; builtIn: readonly Dated[] }[] = [];
  let notComparable = 0;
  let scales = 0;
  for (const own of ours) {
    const others = counterparts(own);
    if (others.length === 0) {
      notComparable += 1;
      continue;
    }
    if (own.comparison.conditions.some(({ reason }) => reason === "SucceededRescale")) scales += 1;
    if (!others.some(({ comparison }) => isDeepStrictEqual(comparison, own.comparison))) {
      disagreements.push({ ours: own, builtIn: others });
    }
  }
  return { compared: ours.length - notComparable, scales, notComparable, disagreements };
}

function sameInputs(one: Comparison, other: Comparison): boolean {
  return (
    one.currentReplicas === other.currentReplicas &&
    isDeepStrictEqual(one.currentMetrics, other.currentMetrics)
  );
}

interface StatusLike {
  readonly currentReplicas?: number;
  readonly desiredReplicas?: number;
  readonly currentMetrics?: readonly unknown[] | null;
  readonly conditions?: readonly {
    readonly type: string;
    readonly status: string;
    readonly reason?: string;
    readonly message?: string;
  }[];
}

export function comparisonOf(status: StatusLike): Comparison {
  return {
    currentReplicas: status.currentReplicas ?? 0,
    desiredReplicas: status.desiredReplicas ?? 0,
    // Through JSON, so that fields that are absent and fields that are undefined are the same.
    currentMetrics: JSON.parse(JSON.stringify(status.currentMetrics ?? [])) as unknown[],
    conditions: (status.conditions ?? [])
      .map(({ type, status, reason = "", message = "" }) => ({ type, status, reason, message }))
      .toSorted((a, b) => a.type.localeCompare(b.type)),
  };
}
