// Keyed controllers whose runs a test ends.
import { manualClock } from "@plimsoll/component-base/testing";
import { createKeyedController, type KeyedControllerOptions, type ReconcileResult } from "@plimsoll/kube";
import { expect } from "vitest";

type Run = { readonly end: (result?: ReconcileResult) => void; readonly fail: (error: unknown) => void };

export function setUp(options: Partial<KeyedControllerOptions> = {}) {
  const clock = manualClock(1_800_000_000_000);
  const begun: string[] = [];
  const open = new Map<string, Run & { readonly signal: AbortSignal }>();
  const errors: string[] = [];
  const controller = createKeyedController({
    clock,
    random: () => 1,
    concurrency: 2,
    onError: (key, error, failures) => errors.push(`${key} ${String(error)} ${failures}`),
    reconcile: (key, signal) =>
      new Promise((resolve, reject) => {
        begun.push(key);
        expect(open.has(key)).toBe(false);
        open.set(key, { end: resolve, fail: reject, signal });
      }),
    ...options,
  });
  const settle = async (key: string, how: (run: Run) => void) => {
    const run = open.get(key);
    open.delete(key);
    if (run !== undefined) how(run);
    await clock.advance(0);
  };
  const end = (key: string, result?: ReconcileResult) => settle(key, (run) => run.end(result));
  const fail = (key: string) => settle(key, (run) => run.fail(new Error("broken")));
  return { clock, controller, begun, open, errors, end, fail };
}

/** A controller whose runs end at once. */
export function immediate(
  reconcile: KeyedControllerOptions["reconcile"],
  options: Partial<KeyedControllerOptions> = {},
) {
  const begun: (readonly [string, number])[] = [];
  const made = setUp({
    ...options,
    reconcile: async (key, signal) => {
      begun.push([key, made.clock.nowMs() - 1_800_000_000_000]);
      return await reconcile(key, signal);
    },
  });
  return { ...made, begun };
}
