// Compares two decisions, step by step of their traces.
import type { Decision } from "../../objects/decision.ts";
import type { TraceStep } from "../../objects/trace/step.ts";
import { isObject } from "../../values/fields.ts";

/** One step in which two decisions differ. */
export interface DecisionDifference {
  /** The kind of the step; "decision": what is beside the trace. */
  readonly step: TraceStep["kind"] | "decision";
  /** Position in spec.metrics, for steps about one metric. */
  readonly metric?: number;
  readonly fields: readonly FieldDifference[];
}

/** One field of such a step. */
export interface FieldDifference {
  /** Such as `policies[0].limit`; empty when only one of the decisions has the step. */
  readonly path: string;
  /** Undefined: absent. */
  readonly a: unknown;
  readonly b: unknown;
}

/**
 * The steps in which two decisions differ, in the order of the traces: the first is where they part. A decision
 * without a trace is compared by what is beside the trace.
 */
export function diffDecisions(
  a: Omit<Decision, "trace"> & { readonly trace?: readonly TraceStep[] },
  b: Omit<Decision, "trace"> & { readonly trace?: readonly TraceStep[] },
): readonly DecisionDifference[] {
  const { trace: stepsOfA, ...restOfA } = a;
  const { trace: stepsOfB, ...restOfB } = b;
  const steps = stepsOfA === undefined || stepsOfB === undefined ? [] : diffSteps(stepsOfA, stepsOfB);
  const fields = diffValues(restOfA, restOfB, "");
  return fields.length === 0 ? steps : [...steps, { step: "decision", fields }];
}

function diffSteps(a: readonly TraceStep[], b: readonly TraceStep[]): readonly DecisionDifference[] {
  const ofA = byKey(a);
  const ofB = byKey(b);
  const position = (key: string) => Math.min(ofA.get(key)?.at ?? Infinity, ofB.get(key)?.at ?? Infinity);
  const keys = [...new Set([...ofA.keys(), ...ofB.keys()])].sort(
    (one, other) => position(one) - position(other),
  );
  return keys.flatMap((key) => {
    const [one, other] = [ofA.get(key)?.step, ofB.get(key)?.step];
    const step = one ?? other;
    const fields = diffValues(one, other, "");
    if (step === undefined || fields.length === 0) return [];
    return [{ step: step.kind, ...("index" in step ? { metric: step.index } : {}), fields }];
  });
}

/** No trace has two steps of one kind for one metric. */
function byKey(trace: readonly TraceStep[]): ReadonlyMap<string, { at: number; step: TraceStep }> {
  return new Map(
    trace.map((step, at) => [`${step.kind} ${"index" in step ? step.index : ""}`, { at, step }]),
  );
}

export function diffValues(a: unknown, b: unknown, path: string): readonly FieldDifference[] {
  if (Object.is(a, b)) return [];
  if (!isObject(a) || !isObject(b) || Array.isArray(a) !== Array.isArray(b)) return [{ path, a, b }];
  const isList = Array.isArray(a);
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].flatMap((key) => {
    const inner = isList ? `${path}[${key}]` : path === "" ? key : `${path}.${key}`;
    return diffValues(own(a, key), own(b, key), inner);
  });
}

function own(object: object, key: string): unknown {
  return Object.hasOwn(object, key) ? (object as Readonly<Record<string, unknown>>)[key] : undefined;
}
