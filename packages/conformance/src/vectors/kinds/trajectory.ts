// Vectors of trajectories.
import {
  type DecideInput,
  type Decision,
  decide,
  type HorizontalPodAutoscaler,
  type HpaMemory,
  type MetricSamples,
  type Pod,
  type ScaleReading,
  type SemanticsProfile,
} from "@plimsoll/core";
import { type Fields, isFields } from "@plimsoll/core/internal/values";
import { compareJson } from "../compare.ts";
import { type CaseDifference, differ } from "../difference.ts";
import { readOptions } from "../options.ts";
import { fieldOf, questionOf, readInstant, readList, readNumber, readObject, VectorError } from "../read.ts";
import { checkSamples } from "../samples.ts";
import type { VectorKind } from "./kind.ts";

const stepFields = ["at", "scale", "hpa", "pods", "samples"];

/** Answer: `steps`, each with `scaleTo` (null when nothing is written), the counts, conditions, events and metrics. */
export const trajectoryKind: VectorKind = {
  question: (vector) => {
    const asked = questionOf(vector, ["options", "hpa", "steps"], ["name"]);
    const steps = readList(vector, "steps", "").map((item, i) => {
      const { expect: _, ...step } = readObject(item, `steps[${i}]`, [...stepFields, "expect"]);
      return step;
    });
    return { ...asked, steps };
  },
  answer,
  compare: (vector, given) => {
    const steps = readList(given, "steps", "answer");
    return readList(vector, "steps", "").flatMap((item, i) => {
      const expect = isFields(item) ? fieldOf(item, "expect") : undefined;
      const step = steps[i];
      return compareStep(expect ?? {}, isFields(step) ? step : {}, `steps[${i}].expect`);
    });
  },
};

/** Evaluates one HPA step by step; every scale write succeeds, and every status is stored. */
function answer(question: Fields, semantics: SemanticsProfile): Fields {
  const options = readOptions(question, semantics);
  let hpa = readHpa(question["hpa"], "hpa");
  let memory: HpaMemory | undefined;
  const steps = readList(question, "steps", "").map((item, i) => {
    const path = `steps[${i}]`;
    const step = readObject(item, path, stepFields);
    const replacement = fieldOf(step, "hpa");
    if (replacement !== undefined) hpa = { ...hpa, spec: readHpa(replacement, `${path}.hpa`).spec };
    const result = decide({ ...readStep(step, path), hpa, options }, memory);
    // State crosses steps as it would cross a restart: as JSON.
    memory = JSON.parse(JSON.stringify(result.memory)) as HpaMemory;
    hpa = { ...hpa, status: result.decision.status };
    return stepOf(result.decision);
  });
  return { steps };
}

function stepOf({ scaleTo, status, events }: Decision): Fields {
  const { desiredReplicas, currentReplicas, conditions, currentMetrics } = status;
  return { scaleTo: scaleTo ?? null, desiredReplicas, currentReplicas, conditions, events, currentMetrics };
}

function readHpa(value: unknown, path: string): HorizontalPodAutoscaler {
  if (!isFields(value) || !isFields(value["spec"]))
    throw new VectorError(path, "is no HorizontalPodAutoscaler");
  return value as unknown as HorizontalPodAutoscaler;
}

function readStep(step: Fields, path: string): Omit<DecideInput, "hpa" | "options"> {
  const samples = readList(step, "samples", path);
  samples.forEach((item, i) => checkSamples(item, `${path}.samples[${i}]`));
  return {
    nowMs: readInstant(step, "at", path),
    scale: readScale(step["scale"], `${path}.scale`),
    pods: { ok: true, pods: readList(step, "pods", path) as readonly Pod[] },
    samples: samples as readonly MetricSamples[],
  };
}

function readScale(given: unknown, path: string): ScaleReading {
  const scale = readObject(given, path, ["spec", "status", "error"]);
  const error = fieldOf(scale, "error");
  if (typeof error === "string") return { ok: false, message: error };
  const specReplicas = readNumber(scale, "spec", path);
  const statusReplicas = readNumber(scale, "status", path);
  return { ok: true, specReplicas, statusReplicas, selector: "vector=pods" };
}

const counts = ["scaleTo", "desiredReplicas", "currentReplicas"];
const lists = ["events", "currentMetrics"];

function compareStep(given: unknown, actual: Fields, path: string): readonly CaseDifference[] {
  const expect = readObject(given, path, [...counts, ...lists, "conditions"]);
  const named = (keys: readonly string[]) => keys.filter((key) => Object.hasOwn(expect, key));
  return [
    ...named(counts)
      .filter((key) => (expect[key] ?? null) !== (actual[key] ?? null))
      .map((key) => differ(`${path}.${key}`, expect[key], actual[key])),
    ...readList(expect, "conditions", path).flatMap((item, i) =>
      compareCondition(item, readList(actual, "conditions", "answer"), `${path}.conditions[${i}]`),
    ),
    ...named(lists).flatMap((key) => compareJson(`${path}.${key}`, expect[key], actual[key], "named")),
  ];
}

function compareCondition(
  given: unknown,
  conditions: readonly unknown[],
  path: string,
): readonly CaseDifference[] {
  const expected = readObject(given, path, ["type", "status", "reason", "message"]);
  const found = conditions.filter(isFields).find(({ type }) => type === expected["type"]);
  if (expected["status"] === null) return found === undefined ? [] : [differ(path, null, found)];
  return found === undefined
    ? [differ(path, expected, undefined)]
    : compareJson(path, expected, found, "named");
}
