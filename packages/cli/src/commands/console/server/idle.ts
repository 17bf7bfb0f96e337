// Ends the console when no browser has looked at it for a while.
import type { Clock } from "@plimsoll/component-base";

export type Idle = ReturnType<typeof createIdle>;

/** `idleMs` 0: it never ends by itself. */
export function createIdle(clock: Clock, idleMs: number, end: () => void) {
  let held = 0;
  let cancel: () => void = () => undefined;
  const touch = (): void => {
    cancel();
    if (idleMs > 0 && held === 0) cancel = clock.after(idleMs, end);
  };
  touch();
  return {
    /** A request came. */
    touch,
    /** A stream is open until the returned function is called. */
    hold(): () => void {
      held += 1;
      cancel();
      let isHeld = true;
      return () => {
        if (!isHeld) return;
        isHeld = false;
        held -= 1;
        touch();
      };
    },
    stop: () => cancel(),
  };
}
