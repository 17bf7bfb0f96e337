// What lets things into a process, holds them while it is paused, and drops them when it is killed.
import type { VirtualTime } from "../time/virtual-time.ts";

/**
 * Where a process can be stopped besides between two moments: before something reaches it, between a call of a client and the
 * sending of the request, and right after the sending.
 */
export type ProcessPoint = "delivery" | "before-send" | "after-send";

/** What comes: the next step of its own code, a timer that is due, or something from outside. */
type Kind = "own" | "timer" | "delivery";

export interface Gate {
  readonly state: "running" | "paused" | "killed";
  enter(kind: Kind, run: () => void): void;
  /** The process comes to a point in which it can be stopped. */
  reach(point: ProcessPoint): void;
  strikeAt(point: ProcessPoint, strike: () => void): () => void;
  pause(): void;
  wake(order?: keyof typeof ranks): void;
  kill(): void;
  onKill(run: () => void): () => void;
}

/** What came while a process was paused. */
interface Held {
  readonly kind: Kind;
  readonly run: () => void;
}

const ranks = {
  "timers-first": { own: 0, timer: 1, delivery: 2 },
  "timers-last": { own: 0, timer: 2, delivery: 1 },
} as const;

export function createGate(options: {
  readonly time: VirtualTime;
  readonly onChange?: ((change: "paused" | "woken" | "killed") => void) | undefined;
  readonly onCrash: (error: unknown) => void;
}): Gate {
  const { time, onChange = () => {}, onCrash } = options;
  let state: Gate["state"] = "running";
  let held: Held[] = [];
  const { reach, strikeAt } = createStrikes(() => state === "running");
  const killed = new Set<() => void>();

  function enter(kind: Kind, run: () => void): void {
    if (state === "paused") held.push({ kind, run });
    if (state !== "running") return;
    try {
      run();
    } catch (error) {
      onCrash(error);
    }
  }

  function reenter({ kind, run }: Held): void {
    if (kind !== "own") reach("delivery");
    enter(kind, run);
  }

  return {
    get state() {
      return state;
    },
    enter,
    reach,
    strikeAt,
    pause() {
      if (state !== "running") return;
      state = "paused";
      onChange("paused");
    },
    wake(order = "timers-last") {
      if (state !== "paused") return;
      state = "running";
      onChange("woken");
      const rank = ranks[order];
      const due = held.sort((one, other) => rank[one.kind] - rank[other.kind]);
      held = [];
      for (const one of due) time.after(0, () => reenter(one));
    },
    kill() {
      if (state === "killed") return;
      state = "killed";
      held = [];
      onChange("killed");
      for (const run of killed) run();
    },
    onKill(run) {
      killed.add(run);
      return () => killed.delete(run);
    },
  };
}

function createStrikes(isRunning: () => boolean): Pick<Gate, "reach" | "strikeAt"> {
  const strikes = new Map<ProcessPoint, Set<() => void>>();
  return {
    reach(point) {
      if (strikes.size === 0 || !isRunning()) return;
      const due = strikes.get(point);
      strikes.delete(point);
      for (const strike of due ?? []) strike();
    },
    strikeAt(point, strike) {
      const due = strikes.get(point) ?? new Set();
      strikes.set(point, due.add(strike));
      return () => due.delete(strike);
    },
  };
}
