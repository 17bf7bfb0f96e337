// The one polite live region: what it says changes every ten seconds at most, for the object that is open.
import { type ReadonlySignal, signal } from "@preact/signals";
import type { Clock } from "../data/clock.ts";

export interface Announcer {
  readonly text: ReadonlySignal<string>;
  /** Of several within the time only the last is said. */
  say(text: string): void;
  /** At once: what a reader did. */
  answer(text: string): void;
}

const gapMs = 10_000;

export function createAnnouncer(clock: Clock): Announcer {
  const text = signal("");
  let saidMs = Number.NEGATIVE_INFINITY;
  let waiting: (() => void) | undefined;
  const answer = (next: string): void => {
    waiting?.();
    waiting = undefined;
    saidMs = clock.nowMs();
    text.value = next;
  };
  return {
    text,
    answer,
    say(next) {
      waiting?.();
      const restMs = saidMs + gapMs - clock.nowMs();
      if (restMs <= 0) answer(next);
      else waiting = clock.after(restMs, () => answer(next));
    },
  };
}
