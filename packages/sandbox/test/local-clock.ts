import type { Clock } from "@plimsoll/kube";

/** Time that moves only by advance(), which runs what falls due, in order, also what is added meanwhile. */
export function localClock(startMs: number): Clock & { advance(ms: number): void; readonly timers: number } {
  let nowMs = startMs;
  let serial = 0;
  const timers = new Map<number, { atMs: number; run: () => void }>();
  const next = (untilMs: number) => {
    let found: [number, { atMs: number; run: () => void }] | undefined;
    for (const entry of timers) {
      if (entry[1].atMs <= untilMs && (found === undefined || entry[1].atMs < found[1].atMs)) found = entry;
    }
    return found;
  };
  return {
    nowMs: () => nowMs,
    after(delayMs, run) {
      serial += 1;
      const id = serial;
      timers.set(id, { atMs: nowMs + delayMs, run });
      return () => timers.delete(id);
    },
    advance(ms) {
      const untilMs = nowMs + ms;
      for (let due = next(untilMs); due !== undefined; due = next(untilMs)) {
        timers.delete(due[0]);
        nowMs = Math.max(nowMs, due[1].atMs);
        due[1].run();
      }
      nowMs = untilMs;
    },
    get timers() {
      return timers.size;
    },
  };
}
