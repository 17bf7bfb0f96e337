import type { Clock } from "@plimsoll/kube";

/** Lets callers that want the same thing at the same time share one call. */
export interface Share {
  run<T>(key: string, call: () => Promise<T>): Promise<T>;
}

/** Shares a call while it is under way, and its answer for a moment more; a failure is not kept. */
export function shareForMoment(clock: Clock, keepMs: number): Share {
  const calls = new Map<string, Promise<unknown>>();
  return {
    run<T>(key: string, call: () => Promise<T>): Promise<T> {
      const known = calls.get(key);
      if (known !== undefined) return known as Promise<T>;
      const made = call();
      calls.set(key, made);
      const forget = () => calls.delete(key);
      made.then(() => clock.after(keepMs, forget), forget);
      return made;
    },
  };
}

/** Shares every call for as long as this object lives: one pass over all objects. */
export function shareForPass(): Share {
  const calls = new Map<string, Promise<unknown>>();
  return {
    run<T>(key: string, call: () => Promise<T>): Promise<T> {
      const known = calls.get(key);
      if (known !== undefined) return known as Promise<T>;
      const made = call();
      calls.set(key, made);
      return made;
    },
  };
}
