// Invariant: what another controller writes is left to it, and taken over again once that one is silent.
import { autoscalerConfig, configOf } from "../autoscaler/flags.ts";
import type { CreateInvariant, Observation, Observed, Outcome, World } from "../run/world.ts";
import { createCalm, deliveredMs } from "./calm.ts";
import { type Decided, isActive, keyOfDecided, storedOfDecided } from "./decisions.ts";
import { createForeignControllers, type ForeignController } from "./foreign-controllers.ts";
import { isManaged } from "./left-alone.ts";
import { evaluationManager, hpaOfStatusWrite, hpaResource, keyOfObject } from "./names.ts";

/** These leave processes and their connections alone. */
const harmless =
  /^(other-controller|replicas-|workload-scaled|workload-applied|object-applied|object-edited)/;
const slackMs = 15_000;
/** A controller that is silent for this number of its periods has ended. */
const silentPeriods = 3;
/** No controller counts as slower than this. */
const maxPeriodMs = 60_000;

/**
 * From its third write on another controller has the status of an HPA, until it has been silent for three of its periods. Both
 * may take two evaluations more, each a period apart.
 */
export const yieldsWhileWritten: CreateInvariant = (world) => {
  const { time } = world;
  const { manageHpas } = autoscalerConfig(world.scenario.setup);
  const calm = createCalm(world, { ignored: harmless, sudden: /./ });
  const foreign = createForeignControllers(world);
  const edits = createEdits(world);

  const noticedMs = (process: string): number => 2 * configOf(world, process).syncPeriodMs + slackMs;

  /** Whether it has written an object long enough for a process to yield. */
  function hasIt(key: string, controller: ForeignController, process: string): boolean {
    const { beganMs, endedMs, everyMs, lastMs } = controller;
    const isWriting = endedMs === undefined && time.nowMs - lastMs <= everyMs;
    const knownMs = Math.min(time.nowMs - beganMs, calm.forMs() - deliveredMs);
    return isWriting && edits.agoMs(key) >= deliveredMs && knownMs > 3 * everyMs + noticedMs(process);
  }

  function ofRequest({ process, request }: Observed<"sent">): Outcome {
    const named = hpaOfStatusWrite(request);
    if (named === undefined || request.query.get("fieldManager") !== evaluationManager) return undefined;
    const key = keyOfObject("", named.namespace, named.name);
    const owner = foreign.of(key).find((one) => hasIt(key, one, process));
    return owner === undefined ? undefined : `${process} writes the status of ${ownedBy(key, owner)}`;
  }

  function ofDecision(decided: Decided): Outcome {
    if (decided.input.hpa.kind !== "HorizontalPodAutoscaler") return undefined;
    const key = keyOfDecided(decided);
    const others = foreign.of(key);
    const present = others.filter(({ endedMs }) => endedMs === undefined);
    const last = present[0] ?? others.toSorted((a, b) => a.lastMs - b.lastMs).at(-1);
    if (last === undefined || present.length > 1) return undefined;
    if (last.endedMs !== undefined) return isActive(decided) || afterSilence(decided, last);
    if (!hasIt(key, last, decided.process)) return undefined;
    return !isActive(decided) || `${decided.process} decides to scale by ${ownedBy(key, last)}`;
  }

  function afterSilence(decided: Decided, { lastMs, manager }: ForeignController): Outcome {
    const { process } = decided;
    const stored = storedOfDecided(world, decided);
    if (stored === undefined || !isManaged(stored, manageHpas)) return undefined;
    const key = keyOfDecided(decided);
    const silentMs = Math.min(time.nowMs - lastMs, calm.forMs() - deliveredMs, edits.agoMs(key));
    return silentMs > silentPeriods * maxPeriodMs + noticedMs(process)
      ? `${process} still leaves ${key} to ${manager}, which was silent for ${String(silentMs)} ms`
      : undefined;
  }

  return {
    name: "yields-while-written",
    observe(observation) {
      calm.observe(observation);
      foreign.see(observation);
      edits.see(observation);
      if (observation.kind === "sent") return ofRequest(observation);
      return observation.kind === "decided" ? ofDecision(observation) : undefined;
    },
  };
};

function ownedBy(key: string, { manager, beganMs }: ForeignController): string {
  return `${key}, which ${manager} has written since ${new Date(beganMs).toISOString()}`;
}

/** For how long HPAs are as they are now, but for their statuses. */
function createEdits({ time }: World) {
  const editedMs = new Map<string, number>();
  return {
    see(observation: Observation): void {
      if (observation.kind !== "written" || observation.event.resource !== hpaResource) return;
      const { object, previous, type } = observation.event;
      const { namespace = "", name, annotations } = object.metadata;
      if (type !== "MODIFIED" || annotations !== previous?.metadata.annotations)
        editedMs.set(keyOfObject("", namespace, name), time.nowMs);
    },
    agoMs: (key: string): number => time.nowMs - (editedMs.get(key) ?? 0),
  };
}
