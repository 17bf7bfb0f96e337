import { race } from "../tasks/race.ts";
import type { Clock } from "./clock.ts";

/** A call took longer than it may. */
export class DeadlineError extends Error {
  override readonly name = "DeadlineError";
}

/**
 * Runs a call that must not outlive a deadline, even if it ignores its signal.
 * @throws DeadlineError when time is up, else whatever the call throws.
 */
export async function withDeadline<T>(
  clock: Clock,
  timeoutMs: number,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  let cancel = (): void => {};
  const expired = new Promise<never>((_resolve, reject) => {
    cancel = clock.after(timeoutMs, () => {
      const error = new DeadlineError(`no response within ${timeoutMs} ms`);
      controller.abort(error);
      reject(error);
    });
  });
  try {
    return await race([call(controller.signal), expired]);
  } finally {
    cancel();
  }
}
