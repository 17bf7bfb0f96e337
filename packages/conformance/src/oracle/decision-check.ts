// Compares whole decisions of the core with upstream's.
import {
  type Decision,
  decide,
  defaultOptions,
  type HpaMemory,
  instantMs,
  type SemanticsProfile,
  withFailedRescale,
} from "@plimsoll/core";
import { compareJson } from "../vectors/compare.ts";
import type { Difference } from "../vectors/difference.ts";
import { firstState, inputOf, type State } from "./decision-input.ts";
import type { Check } from "./difference.ts";
import type { Members } from "./members.ts";
import type { VectorCase } from "./vector-file.ts";

/** Compares all that a pass writes, returns and remembers, also when a write or a list fails. */
export const checkDecisions: Check = (file) =>
  file.cases.flatMap((evaluated) => {
    try {
      return checkSteps(evaluated, file.semantics ?? defaultOptions.semantics);
    } catch (error) {
      // The core must take any data, so this is a defect of it like any other.
      return [{ name: evaluated.name, path: "thrown", expected: "a result", actual: String(error) }];
    }
  });

function checkSteps(evaluated: VectorCase, semantics: SemanticsProfile): readonly Difference[] {
  const state = firstState(evaluated, semantics);
  return ((evaluated["steps"] ?? []) as readonly Members[]).flatMap((step, at) => {
    const actual = take(state, step);
    return compareJson(`steps[${at}].expect`, sorted(step["expect"] as Members), sorted(actual), "whole").map(
      (difference) => ({ name: evaluated.name, ...difference }),
    );
  });
}

function take(state: State, step: Members): Members {
  const wanted = decide(inputOf(state, step), state.memory);
  const failure = (step["scale"] as Members | undefined)?.["writeError"];
  const result = typeof failure === "string" ? withFailedRescale(wanted, failure) : wanted;
  state.memory = JSON.parse(JSON.stringify(result.memory)) as HpaMemory;
  state.hpa = { ...state.hpa, status: result.decision.status };
  return describe(result.decision, state.memory, wanted.decision.scaleTo);
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
function sorted(result: Members): Members {
  const status = result["status"] as Members;
  const conditions = (status["conditions"] ?? []) as readonly Members[];
  const respelt = (name: string): readonly Members[] =>
    ((result[name] ?? []) as readonly Members[]).map((entry) => ({ ...entry, at: instantMs(entry["at"]) }));
  return {
    ...result,
    status: {
      ...status,
      conditions: conditions.toSorted((a, b) => (String(a["type"]) < String(b["type"]) ? -1 : 1)),
    },
    recommendations: respelt("recommendations"),
    scaleUpEvents: respelt("scaleUpEvents"),
    scaleDownEvents: respelt("scaleDownEvents"),
  };
}
