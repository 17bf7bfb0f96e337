// Bounds the memory of large responses, so that neither a namespace nor all of them together take that of the others.
import { type Clock, steadyNowMs } from "@plimsoll/component-base";
import type { ResponseBudget, ResponseMemory, ResponseShare } from "@plimsoll/prometheus";

/** A series, the name of a metric, or the name of a label that is larger is left out of a large response. */
export const maxItemBytes = 64 * 1024;

/** Budgets of queries by their namespace. Those that read the whole cluster have the memory of their client. */
export type ResponseBudgets = ReturnType<typeof createResponseBudgets>;

export interface ResponseBudgetLimits {
  /** Of all large responses of a namespace that are in flight [16 MiB]. */
  readonly namespaceBytes?: number;
  /** Of those of all namespaces [32 MiB]. */
  readonly allBytes?: number;
}

type TurnClock = Pick<Clock, "nowMs" | "steadyMs" | "after">;

interface Response {
  readonly namespace: string;
  bytes: number;
  /** Lets it be read on. */
  readonly start: () => void;
  /** Undefined: not yet. */
  startedAtMs: number | undefined;
  readonly giveUp: (why: string) => void;
}

const mib = 1024 * 1024;
/**
 * Large responses of a namespace that are read at the same time; the others wait. A turn of the event loop reads a piece of
 * each, and every other request waits for some turns.
 */
const maxRead = 4;
/** One that takes longer is slow, and leaves its turn to another. */
const turnMs = 5_000;

/** Where they do not fit, the largest response of the namespace that takes the most is given up. */
export function createResponseBudgets(clock: TurnClock, limits: ResponseBudgetLimits = {}) {
  const { namespaceBytes = 16 * mib, allBytes = 32 * mib } = limits;
  const inFlight = new Map<string, Set<Response>>();
  const startNext = createTurns(clock, inFlight);

  const drop = (response: Response): void => {
    const own = inFlight.get(response.namespace);
    if (own?.delete(response) !== true) return;
    if (own.size === 0) inFlight.delete(response.namespace);
    startNext(response.namespace);
  };

  const giveUpLargest = (namespace: string, why: string): void => {
    const [largest] = [...(inFlight.get(namespace) ?? [])].sort((a, b) => b.bytes - a.bytes);
    if (largest !== undefined) drop(largest);
    largest?.giveUp(why);
  };

  const keepWithin = (namespace: string): void => {
    while (bytesOf(inFlight.get(namespace)) > namespaceBytes)
      giveUpLargest(namespace, namespaceText(namespace, namespaceBytes));
    for (;;) {
      const taken = [...inFlight].map(([name, own]) => ({ name, bytes: bytesOf(own) }));
      const [most] = taken.sort((a, b) => b.bytes - a.bytes);
      if (most === undefined || taken.reduce((sum, { bytes }) => sum + bytes, 0) <= allBytes) return;
      giveUpLargest(
        most.name,
        `large responses exceed ${allBytes / mib} MiB together, mostly for namespace ${most.name}: aggregate its queries, for example with sum by`,
      );
    }
  };

  const memoryOf = (namespace: string): ResponseMemory => ({
    enter(giveUp): ResponseShare {
      const own = inFlight.get(namespace) ?? new Set();
      const { promise, resolve: start } = Promise.withResolvers<void>();
      const response: Response = { namespace, bytes: 0, giveUp, start, startedAtMs: undefined };
      inFlight.set(namespace, own.add(response));
      startNext(namespace);
      return {
        turn: response.startedAtMs === undefined ? promise : undefined,
        grow(bytes) {
          response.bytes += bytes;
          keepWithin(namespace);
        },
        leave: () => drop(response),
      };
    },
  });

  return {
    /** @param maxBytes Of the response; undefined: as many as all large responses of the namespace may have together. */
    of: (namespace: string, maxBytes: number = namespaceBytes): ResponseBudget => ({
      namespace,
      maxBytes: Math.min(maxBytes, namespaceBytes),
      memory: memoryOf(namespace),
    }),
  };
}

function namespaceText(namespace: string, bytes: number): string {
  return `large responses for namespace ${namespace} exceed ${bytes / mib} MiB together: aggregate the queries, for example with sum by, or drop labels with long values`;
}

/** Starts those of a namespace that have their turn, now and whenever one of the others turns out to be slow. */
function createTurns(
  clock: TurnClock,
  inFlight: ReadonlyMap<string, ReadonlySet<Response>>,
): (namespace: string) => void {
  const timers = new Map<string, () => void>();
  return function startNext(namespace) {
    timers.get(namespace)?.();
    timers.delete(namespace);
    const nextMs = giveTurns(inFlight.get(namespace) ?? new Set(), steadyNowMs(clock));
    if (nextMs === undefined) return;
    const cancel = clock.after(nextMs, () => startNext(namespace));
    timers.set(namespace, cancel);
  };
}

/** @returns in how many ms the next of those that wait gets the turn of a slow one; undefined where none waits */
function giveTurns(responses: ReadonlySet<Response>, nowMs: number): number | undefined {
  const begun = [...responses].flatMap(({ startedAtMs }) => startedAtMs ?? []);
  const turns = begun.filter((atMs) => nowMs - atMs < turnMs);
  const waiting = [...responses].filter(({ startedAtMs }) => startedAtMs === undefined);
  const next = waiting.splice(0, Math.max(0, maxRead - turns.length));
  for (const response of next) {
    response.startedAtMs = nowMs;
    response.start();
  }
  if (waiting.length === 0) return undefined;
  return Math.min(nowMs, ...turns) + turnMs - nowMs;
}

function bytesOf(responses: ReadonlySet<Response> | undefined): number {
  let sum = 0;
  for (const { bytes } of responses ?? []) sum += bytes;
  return sum;
}
