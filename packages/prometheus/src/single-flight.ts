/** Runs one piece of work for all callers of the same key at the same time. */
export interface SingleFlight<V> {
  /**
   * Joins the work in flight for the key, or starts it. A caller whose signal aborts leaves with the signal's
   * reason; the work itself is aborted when its last caller has left.
   * @param work May abort itself, for all its callers.
   */
  run(key: string, work: Work<V>, signal?: AbortSignal): Promise<V>;
  readonly size: number;
  /** Whether there is work in flight for the key. */
  has(key: string): boolean;
}

type Work<V> = (signal: AbortSignal, abort: (reason: unknown) => void) => Promise<V>;

interface Waiting<V> {
  readonly resolve: (value: V) => void;
  readonly reject: (error: unknown) => void;
}

interface Flight<V> {
  readonly result: Promise<V>;
  readonly controller: AbortController;
  callers: number;
  /** Of the callers that can leave: whoever has left leaves nothing behind. */
  readonly waiting: Set<Waiting<V>>;
}

/** Shares work in flight by key. The signal of a caller ends its own wait; the work is aborted when its last caller has left. */
export function createSingleFlight<V>(): SingleFlight<V> {
  const flights = new Map<string, Flight<V>>();

  const start = (key: string, work: Work<V>): Flight<V> => {
    const controller = new AbortController();
    const result = work(controller.signal, (reason) => controller.abort(reason)).finally(() => {
      if (flights.get(key) === flight) flights.delete(key);
    });
    const waiting = new Set<Waiting<V>>();
    const flight: Flight<V> = { result, controller, callers: 0, waiting };
    // It also keeps a flight that all have left from being unhandled.
    result.then(
      (value) => waiting.forEach(({ resolve }) => resolve(value)),
      (error: unknown) => waiting.forEach(({ reject }) => reject(error)),
    );
    flights.set(key, flight);
    return flight;
  };

  const leave = (key: string, flight: Flight<V>, reason: unknown): void => {
    flight.callers -= 1;
    if (flight.callers > 0) return;
    if (flights.get(key) === flight) flights.delete(key);
    flight.controller.abort(reason);
  };

  return {
    get size() {
      return flights.size;
    },
    has: (key) => flights.has(key),
    async run(key, work, signal) {
      signal?.throwIfAborted();
      const flight = flights.get(key) ?? start(key, work);
      flight.callers += 1;
      if (signal === undefined) return await flight.result;
      return await new Promise<V>((resolve, reject) => {
        const end = (): void => {
          flight.waiting.delete(waiting);
          signal.removeEventListener("abort", onAbort);
        };
        const onAbort = (): void => {
          end();
          leave(key, flight, signal.reason);
          reject(signal.reason as Error);
        };
        const ended =
          <T>(run: (outcome: T) => void) =>
          (outcome: T): void => {
            end();
            run(outcome);
          };
        const waiting: Waiting<V> = { resolve: ended(resolve), reject: ended(reject) };
        flight.waiting.add(waiting);
        signal.addEventListener("abort", onAbort);
      });
    },
  };
}
