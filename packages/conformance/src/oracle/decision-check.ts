import {
  type ControllerOptions,
  type Decision,
  decide,
  type HorizontalPodAutoscaler,
  type HpaMemory,
  instantMs,
  type MetricSamples,
  type Pod,
  type ScaleReading,
  type SemanticsProfile,
  withFailedRescale,
} from "@plimsoll/core";
import { compareJson } from "../vectors/compare.ts";
import type { Difference } from "../vectors/difference.ts";
import { readOptions } from "../vectors/options.ts";
import type { Check } from "./difference.ts";
import type { Members } from "./members.ts";
import type { VectorCase } from "./vector-file.ts";

/** Compares all that a pass writes, returns and remembers, also when a write or a list fails. */
export const checkDecisions: Check = (file) =>
  file.cases.flatMap((answered) => {
    try {
      return checkSteps(answered, file.semantics ?? "1.37");
    } catch (error) {
      // The core must take any data, so this is a defect of it like any other.
      return [{ name: answered.name, path: "thrown", expected: "an answer", actual: String(error) }];
    }
  });

interface State {
  readonly options: Partial<ControllerOptions>;
  hpa: HorizontalPodAutoscaler;
  memory: HpaMemory | undefined;
}

function checkSteps(answered: VectorCase, semantics: SemanticsProfile): readonly Difference[] {
  const hpa = answered["hpa"] as HorizontalPodAutoscaler;
  const state: State = { options: readOptions(answered, semantics), hpa, memory: undefined };
  return ((answered["steps"] ?? []) as readonly Members[]).flatMap((step, at) => {
    const actual = take(state, step);
    return compareJson(`steps[${at}].expect`, sorted(step["expect"] as Members), sorted(actual), "whole").map(
      (difference) => ({ name: answered.name, ...difference }),
    );
  });
}

function take(state: State, step: Members): Members {
  const edited = step["hpa"] as HorizontalPodAutoscaler | undefined;
  if (edited !== undefined) state.hpa = { ...state.hpa, spec: edited.spec };
  const scale = (step["scale"] ?? {}) as Members;
  const pods = step["podsError"] as string | undefined;
  const wanted = decide(
    {
      nowMs: instantMs(step["at"]) ?? 0,
      hpa: state.hpa,
      scale: reading(scale),
      pods:
        pods === undefined
          ? { ok: true, pods: step["pods"] as readonly Pod[] }
          : { ok: false, message: pods },
      samples: step["samples"] as readonly MetricSamples[],
      options: state.options,
    },
    state.memory,
  );
  const failure = scale["writeError"];
  const result = typeof failure === "string" ? withFailedRescale(wanted, failure) : wanted;
  state.memory = JSON.parse(JSON.stringify(result.memory)) as HpaMemory;
  state.hpa = { ...state.hpa, status: result.decision.status };
  return describe(result.decision, state.memory, wanted.decision.scaleTo);
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

function describe(decision: Decision, memory: HpaMemory, scaleTo: number | undefined): Members {
  const at = (ms: number): string => new Date(ms).toISOString();
  const change = (event: HpaMemory["scaleUpEvents"][number]): Members => ({
    change: event.change,
    at: at(event.atMs),
    ...(event.outdated === true ? { outdated: true } : {}),
  });
  return {
    scaleTo: scaleTo ?? null,
    status: decision.status,
    statusWritten: decision.statusChanged,
    events: decision.events,
    outcome: decision.outcome,
    recommendations: memory.recommendations.map(({ replicas, atMs }) => ({ replicas, at: at(atMs) })),
    scaleUpEvents: memory.scaleUpEvents.map(change),
    scaleDownEvents: memory.scaleDownEvents.map(change),
  };
}

/** Conditions by type, and instants in one spelling. */
function sorted(answer: Members): Members {
  const status = answer["status"] as Members;
  const conditions = (status["conditions"] ?? []) as readonly Members[];
  const respelt = (name: string): readonly Members[] =>
    ((answer[name] ?? []) as readonly Members[]).map((entry) => ({ ...entry, at: instantMs(entry["at"]) }));
  return {
    ...answer,
    status: {
      ...status,
      conditions: conditions.toSorted((a, b) => (String(a["type"]) < String(b["type"]) ? -1 : 1)),
    },
    recommendations: respelt("recommendations"),
    scaleUpEvents: respelt("scaleUpEvents"),
    scaleDownEvents: respelt("scaleDownEvents"),
  };
}
