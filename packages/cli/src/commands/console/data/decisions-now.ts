// Which decisions the page shows: those of an autoscaler while one answers, else recomputed ones. Both may begin at any time.
import type { Clock } from "@plimsoll/component-base";
import type { RecordedSource } from "../../../decisions/source.ts";
import type { OpenedEndpoint } from "../../../endpoint/open.ts";
import type { DecisionData } from "./source.ts";
import { type Watched, watched } from "./watched.ts";

/** An autoscaler that answers. */
export interface Recorded {
  readonly data: DecisionData;
  readonly source: RecordedSource;
  /** Why it does not answer any more; undefined: it does. */
  readonly probe: () => Promise<string | undefined>;
  readonly close: () => Promise<void>;
}

export type Looked =
  | { readonly ok: true; readonly recorded: Recorded }
  | Extract<OpenedEndpoint, { ok: false }>;

export interface DecisionsNowDeps {
  readonly clock: Clock;
  /** Looks for an autoscaler. Resolves, whatever it finds. */
  readonly look: () => Promise<Looked>;
  readonly recompute: (reason: string) => DecisionData;
  /** What was found first stays. */
  readonly isFixed: boolean;
  /** The other one of the two is shown from now on. */
  readonly onChange: (text: string) => void;
}

export interface DecisionsNow {
  /** Looks for an autoscaler, or after the one that there is, where it is time to. */
  data(): Promise<DecisionData>;
  recorded(): RecordedSource | undefined;
  close(): Promise<void>;
}

/** Between two looks for an autoscaler: twice as long after each, and none while no page asks. */
const firstLookMs = 2_000;
const maxLookMs = 30_000;
/** A request waits so long for a look: what is not found by then is shown with a later one. */
const waitMs = 1_500;
/** The time that a new process takes to get the lease of the one before. */
const graceMs = 15_000;
const probeMs = 5_000;

type State =
  | {
      readonly kind: "recomputed";
      readonly data: DecisionData;
      readonly pauseMs: number;
      readonly nextMs: number;
    }
  | {
      readonly kind: "recorded";
      readonly recorded: Recorded;
      readonly watch: Watched;
      readonly nextMs: number;
    };

export function createDecisionsNow(first: Looked, deps: DecisionsNowDeps): DecisionsNow {
  const { clock, look, recompute, isFixed, onChange } = deps;
  let busy: Promise<void> | undefined;
  let state: State = first.ok ? recordedBy(first.recorded, clock) : recomputedBy(first.reason);

  function recomputedBy(reason: string, pauseMs = firstLookMs): State {
    return { kind: "recomputed", data: recompute(reason), pauseMs, nextMs: clock.nowMs() + pauseMs };
  }

  async function lookFor(now: Extract<State, { kind: "recomputed" }>): Promise<void> {
    const found = await look();
    if (!found.ok) {
      const pauseMs = Math.min(2 * now.pauseMs, maxLookMs);
      state = { ...now, pauseMs, nextMs: clock.nowMs() + pauseMs };
      return;
    }
    state = recordedBy(found.recorded, clock);
    onChange("an autoscaler answers: its decisions are shown from now on");
  }

  async function lookAfter(now: Extract<State, { kind: "recorded" }>): Promise<void> {
    const { recorded, watch } = now;
    const problem = await recorded.probe();
    if (problem === undefined) watch.heard();
    if (problem === undefined || watch.silentMs() < graceMs) {
      state = { ...now, nextMs: clock.nowMs() + probeMs };
      return;
    }
    state = recomputedBy(problem);
    onChange(`the autoscaler does not answer (${problem}): decisions are recomputed from live data`);
    await recorded.close();
  }

  function isDue(): boolean {
    if (isFixed) return false;
    return clock.nowMs() >= state.nextMs && (state.kind === "recomputed" || state.watch.isSuspect());
  }

  function begin(): Promise<void> {
    const work = state.kind === "recomputed" ? lookFor(state) : lookAfter(state);
    return work.finally(() => (busy = undefined));
  }

  return {
    async data() {
      if (busy === undefined && isDue()) {
        busy = begin();
        // While it is looked after, what it says is passed on.
        if (state.kind === "recomputed") await atMost(waitMs, busy, clock);
      }
      return state.kind === "recorded" ? state.watch.data : state.data;
    },
    recorded: () => (state.kind === "recorded" ? state.recorded.source : undefined),
    async close() {
      await busy;
      if (state.kind === "recorded") await state.recorded.close();
    },
  };
}

function recordedBy(recorded: Recorded, clock: Clock): State {
  return { kind: "recorded", recorded, watch: watched(recorded.data, clock), nextMs: clock.nowMs() };
}

function atMost(ms: number, work: Promise<void>, clock: Clock): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(ms, resolve);
    work.then(resolve, reject).finally(cancel);
  });
}
