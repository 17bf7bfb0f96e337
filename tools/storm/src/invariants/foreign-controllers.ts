// What other controllers of HorizontalPodAutoscalers have written.
import { otherControllerKind, otherControllers } from "../faults/other-controllers.ts";
import type { Observation, World } from "../run/world.ts";
import { hpaResource, keyOfObject } from "./names.ts";

/** Another controller, as it has written the status of one object. */
export interface ForeignController {
  /** Of its fault: several may write under one name. */
  readonly id: number;
  readonly manager: string;
  readonly everyMs: number;
  readonly beganMs: number;
  /** Undefined while it still comes back. */
  endedMs: number | undefined;
  lastMs: number;
}

export interface ForeignControllers {
  /** To be called with each observation. */
  see(observation: Observation): void;
  /** All that have ever written an object, in the order of their beginnings. */
  of(key: string): readonly ForeignController[];
}

export function createForeignControllers({ time }: Pick<World, "time">): ForeignControllers {
  const known = new Map<string, ForeignController[]>();

  function ofFault({ event, change }: Extract<Observation, { readonly kind: "fault" }>): void {
    if (event.kind !== otherControllerKind) return;
    const { namespace, name, manager, everyMs } = event.details as Readonly<Record<string, string>>;
    const key = keyOfObject("", namespace ?? "", name ?? "");
    const of = known.get(key) ?? [];
    known.set(key, of);
    if (change === "begins")
      of.push({
        id: event.id,
        manager: manager ?? "",
        everyMs: Number(everyMs),
        beganMs: time.nowMs,
        endedMs: undefined,
        lastMs: time.nowMs,
      });
    else for (const one of of) if (one.id === event.id) one.endedMs = time.nowMs;
  }

  return {
    see(observation) {
      if (observation.kind === "fault") ofFault(observation);
      if (observation.kind !== "written" || observation.event.resource !== hpaResource) return;
      const { writer, event } = observation;
      if (!otherControllers.some((one) => one === writer)) return;
      const { namespace = "", name } = event.object.metadata;
      for (const one of known.get(keyOfObject("", namespace, name)) ?? [])
        if (one.manager === writer && one.endedMs === undefined) one.lastMs = time.nowMs;
    },
    of: (key) => known.get(key) ?? [],
  };
}
