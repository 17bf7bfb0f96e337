// Invariant: what a killed process evaluated, another one evaluates again within seconds.
import { autoscalerConfig } from "../autoscaler/flags.ts";
import { harmlessKinds } from "../faults/harmless.ts";
import { hostileNamespace } from "../objects/hostile.ts";
import type { CreateInvariant, Observed, Outcome } from "../run/world.ts";
import { createCalm } from "./calm.ts";
import { type Decided, keyOfDecided, storedOfDecided, uidOfDecided } from "./decisions.ts";

/** From the end of a process until the last of its objects is evaluated again. */
export const takeoverMs = 5000;

/** Before that the other processes may still be starting. */
const calmBeforeMs = 60_000;

interface Evaluated {
  readonly decided: Decided;
  readonly atMs: number;
}

/** The objects of a process that was killed, by uid. */
interface Takeover {
  readonly process: string;
  /** When it was killed, or started again. */
  atMs: number;
  readonly left: Map<string, Decided>;
}

/** Checked where nothing else disturbs the processes, and another one can take over. `onEnd` gets how long each one took. */
export function createTakenOver(onEnd: (tookMs: number) => void = () => {}): CreateInvariant {
  return (world) => {
    const { scenario, time } = world;
    const calm = createCalm(world, { sudden: /./, ignored: harmlessKinds });
    const periodMs =
      scenario.setup.coordination === "alone" ? 0 : autoscalerConfig(scenario.setup).syncPeriodMs;
    const last = new Map<string, Evaluated>();
    let takeover: Takeover | undefined;

    function killed(process: string): void {
      takeover = undefined;
      const isAble = [...world.autoscalers.keys()].some((name) => name !== process);
      if (calm.forMs() < calmBeforeMs || periodMs === 0 || !isAble) return;
      const isIts = ({ decided, atMs }: Evaluated) =>
        decided.process === process && time.nowMs - atMs <= 2 * periodMs;
      const left = [...last].flatMap(([uid, one]) => (isIts(one) ? [[uid, one.decided] as const] : []));
      if (left.length > 0) takeover = { process, atMs: time.nowMs, left: new Map(left) };
    }

    /** Its part of the shards is left to it, and it has to see for itself that the leases of its former run have expired. */
    function started(process: string): void {
      const { coordination } = world.coordinations.get(process) ?? scenario.setup;
      if (takeover?.process === process && coordination === "shards") takeover.atMs = time.nowMs;
    }

    function check(now: Takeover): Outcome {
      for (const [uid, decided] of now.left)
        if (storedOfDecided(world, decided) === undefined) now.left.delete(uid);
      const tookMs = time.nowMs - now.atMs;
      const [first] = now.left.values();
      if (first === undefined) {
        takeover = undefined;
        onEnd(tookMs);
        return true;
      }
      if (tookMs <= takeoverMs) return undefined;
      return `${keyOfDecided(first)} was not evaluated within ${String(takeoverMs)} ms after ${now.process} was killed, as ${String(now.left.size)} of its objects`;
    }

    return {
      name: "taken-over",
      observe(observation) {
        if (observation.kind === "process" && observation.change === "killed") killed(observation.process);
        calm.observe(observation);
        if (observation.kind === "process" && observation.change === "started") started(observation.process);
        if (observation.kind === "process" && observation.process !== takeover?.process) takeover = undefined;
        if (observation.kind === "fault" && !harmlessKinds.test(observation.event.kind)) takeover = undefined;
        if (observation.kind === "decided") seen(observation);
        return takeover === undefined ? undefined : check(takeover);
      },
    };

    function seen(decided: Observed<"decided">): void {
      if (decided.input.hpa.metadata?.namespace === hostileNamespace) return;
      const uid = uidOfDecided(decided);
      last.set(uid, { decided, atMs: time.nowMs });
      takeover?.left.delete(uid);
    }
  };
}

export const takenOver = createTakenOver();
