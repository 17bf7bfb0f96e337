// Requests that wait for the decision on a query: a few, and not for long.
import type { Clock } from "@plimsoll/component-base";
import type { Decided } from "../compile/compiled.ts";

/** A change is decided on within a second or so. */
const maxWaitMs = 1_500;
const maxOfNamespace = 50;
const maxRequests = 100;
/** So many requests of a namespace may wait beyond that: those of two namespaces could keep out all others. */
const ownRequests = 4;
/** With those; a request that waits is one of the 400 in flight. */
const maxTogether = 200;

interface Request {
  readonly namespace: string;
  readonly isDecided: () => boolean;
  readonly resolve: () => void;
}

export function createWaiting(
  clock: Clock,
  decisionOn: (namespace: string, metric: string) => Decided | undefined,
) {
  const requests = new Set<Request>();
  const byNamespace = new Map<string, number>();

  const count = (namespace: string, by: 1 | -1): void => {
    const left = (byNamespace.get(namespace) ?? 0) + by;
    if (left > 0) byNamespace.set(namespace, left);
    else byNamespace.delete(namespace);
  };

  const isFull = (namespace: string): boolean => {
    const own = byNamespace.get(namespace) ?? 0;
    if (own < ownRequests) return requests.size >= maxTogether;
    return own >= maxOfNamespace || requests.size >= maxRequests;
  };

  const until = (namespace: string, isDecided: () => boolean, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const request: Request = { namespace, isDecided, resolve: () => end() };
      const cancel = clock.after(maxWaitMs, () => end());
      const end = (): void => {
        cancel();
        signal.removeEventListener("abort", end);
        if (requests.delete(request)) count(namespace, -1);
        resolve();
      };
      requests.add(request);
      count(namespace, 1);
      signal.addEventListener("abort", end, { once: true });
    });

  return {
    /** Resolves at once where too many wait already. */
    async wait(namespace: string, metric: string, signal: AbortSignal): Promise<Decided | undefined> {
      const isDecided = (): boolean => decisionOn(namespace, metric) !== undefined;
      if (!isDecided() && !isFull(namespace) && !signal.aborted) await until(namespace, isDecided, signal);
      return decisionOn(namespace, metric);
    },
    /** The queries of a namespace have been decided on. */
    decided(namespace: string): void {
      for (const request of requests)
        if (request.namespace === namespace && request.isDecided()) request.resolve();
    },
    stop(): void {
      for (const { resolve } of requests) resolve();
    },
  };
}
