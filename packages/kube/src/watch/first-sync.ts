import { orAborted, race } from "@plimsoll/component-base";
import { ApiError } from "../client/api-error.ts";

/** The first sync, for which many may wait; it happens once, or never. No waiter leaves anything behind. */
export function createFirstSync() {
  const end = createEnd();
  let refusal = createEnd();
  const wait = (signal: AbortSignal | undefined, ...ends: readonly [Promise<void>, ...Promise<void>[]]) => {
    if (signal === undefined) return race(ends);
    // A reason that is there before wins over an end.
    return signal.aborted ? Promise.reject(signal.reason) : orAborted(signal, ...ends);
  };
  let isDone = false;
  return {
    get isDone() {
      return isDone;
    },
    done() {
      isDone = true;
      end.resolve();
    },
    /** All that wait, now or later, fail with this error, unless it is done. */
    fail: end.reject,
    /** All that wait for a list fail with an error that is not the first in a row, or is a refusal, now and until it is done. */
    listFailed(error: unknown, inRow: number): void {
      if (inRow === 1 && !isRefused(error)) return;
      refusal.reject(error);
      refusal = createEnd();
      refusal.reject(error);
    },
    /** Rejects with the reason of `signal` when that aborts first. */
    waitForSync: (signal?: AbortSignal): Promise<void> => wait(signal, end.promise),
    /** Rejects with the refusal as well. */
    waitForList: (signal?: AbortSignal): Promise<void> => wait(signal, end.promise, refusal.promise),
  };
}

/** Another attempt after a second would be refused as well. */
function isRefused(error: unknown): boolean {
  return error instanceof ApiError && [401, 403, 404].includes(error.code);
}

interface End {
  readonly promise: Promise<void>;
  resolve(): void;
  reject(error: unknown): void;
}

/** A promise that is settled from outside, once. */
function createEnd(): End {
  let settle: Omit<End, "promise"> = { resolve: () => undefined, reject: () => undefined };
  const promise = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject };
  });
  // When nothing waits for it, this isn't a failure.
  promise.catch(() => undefined);
  return { promise, ...settle };
}
