// How advice is applied to the world of a test.
import type { HpaMemory, MetricSamples } from "@plimsoll/core";
import { type Fields, fieldsOf } from "@plimsoll/core/internal/values";
import { type FactReadings, known } from "../../src/index.ts";
import { cases } from "../cases/cases.ts";
import { decisionOf, hpa, type World } from "../world.ts";

export interface Fix {
  /** A part of the finding's advice, which is applied. */
  readonly advice: string;
  /** @param command of the finding; "" where it has none. */
  readonly apply: (world: World, command: string) => World;
}

export const withFacts =
  (changed: Partial<FactReadings>) =>
  ({ facts, ...world }: World): World => ({ ...world, facts: { ...facts, ...changed } });

export const withSpec =
  (changed: Fields) =>
  ({ object = hpa(), ...world }: World): World => ({
    ...world,
    object: { ...object, spec: { ...fieldsOf(object["spec"]), ...changed } },
  });

/** The world that is near to it: the case shows what the advice leads to. */
export const near = (id: string) => (): World => cases[id]?.negative ?? {};

interface Input {
  readonly pods: readonly Fields[];
  readonly samples: readonly MetricSamples[];
  readonly replicas?: number;
}

/** With another specification the controller decides again, and writes its conditions. */
export const decidedAgain =
  (changed: Fields, input: Input, memory?: HpaMemory) =>
  (world: World): World => {
    const { object = hpa(), facts } = withSpec(changed)(world);
    const decision = decisionOf(object, input, memory);
    return {
      object: { ...object, status: { ...fieldsOf(object["status"]), ...(decision.status as object) } },
      facts: { ...facts, decision: known(decision) },
    };
  };

/** What `kubectl patch --type=merge -p '…'` makes of an object. */
export function patched(object: Fields, command: string): Fields {
  const [, text = "{}"] = / -p '(.*)'$/.exec(command) ?? [];
  return merged(object, JSON.parse(text) as Fields);
}

export function merged(object: Fields, patch: Fields): Fields {
  const entries = Object.entries(patch).flatMap(([key, value]): (readonly [string, unknown])[] => {
    if (value === null) return [];
    const isObject = typeof value === "object" && !Array.isArray(value);
    return [[key, isObject ? merged(fieldsOf(object[key]), fieldsOf(value)) : value]];
  });
  const kept = Object.entries(object).filter(([key]) => patch[key] !== null);
  return Object.fromEntries([...kept, ...entries]);
}
