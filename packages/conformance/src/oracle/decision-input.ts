// Builds the input of `decide` for each step of a trajectory.
import {
  type ControllerOptions,
  type DecideInput,
  type HorizontalPodAutoscaler,
  type HpaMemory,
  instantMs,
  type MetricSamples,
  type Pod,
  type ScaleReading,
  type SemanticsProfile,
} from "@plimsoll/core";
import { readOptions } from "../vectors/options.ts";
import type { Members } from "./members.ts";
import type { VectorCase } from "./vector-file.ts";

/** What a trajectory carries from one step to the next. */
export interface State {
  readonly options: Partial<ControllerOptions>;
  hpa: HorizontalPodAutoscaler;
  memory: HpaMemory | undefined;
}

/** The state before the first step of a case. */
export function firstState(vector: VectorCase, semantics: SemanticsProfile): State {
  const hpa = vector["hpa"] as HorizontalPodAutoscaler;
  return { options: readOptions(vector, semantics), hpa, memory: undefined };
}

/** What the step decides on; an edit of the object stays in the state. */
export function inputOf(state: State, step: Members): DecideInput {
  const edited = step["hpa"] as HorizontalPodAutoscaler | undefined;
  if (edited !== undefined) state.hpa = { ...state.hpa, spec: edited.spec };
  const pods = step["podsError"] as string | undefined;
  return {
    nowMs: instantMs(step["at"]) ?? 0,
    hpa: state.hpa,
    scale: reading((step["scale"] ?? {}) as Members),
    pods:
      pods === undefined ? { ok: true, pods: step["pods"] as readonly Pod[] } : { ok: false, message: pods },
    samples: step["samples"] as readonly MetricSamples[],
    options: state.options,
  };
}

function reading(scale: Members): ScaleReading {
  const message = scale["error"];
  if (typeof message === "string") return { ok: false, message };
  return {
    ok: true,
    specReplicas: scale["spec"] as number,
    statusReplicas: scale["status"] as number,
    selector: (scale["selector"] as string | undefined) ?? "vector=pods",
  };
}
