// Checks vectors of trajectories.
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
import { compareJson } from "../compare.ts";
import { type CaseDifference, differ } from "../difference.ts";
import { readOptions } from "../options.ts";
import {
  fieldOf,
  isObject,
  type Json,
  readInstant,
  readList,
  readNumber,
  readObject,
  VectorError,
} from "../read.ts";
import { checkSamples } from "../samples.ts";

/** Evaluates one HPA step by step; every scale write succeeds, and every status is stored. */
export function checkTrajectory(given: unknown, semantics: SemanticsProfile): readonly CaseDifference[] {
  const vector = readObject(given, "", ["name", "options", "hpa", "steps"]);
  const options = readOptions(vector, semantics);
  let hpa = readHpa(vector["hpa"], "hpa");
  let memory: HpaMemory | undefined;
  const differences: CaseDifference[] = [];
  readList(vector, "steps", "").forEach((item, i) => {
    const path = `steps[${i}]`;
    const step = readObject(item, path, ["at", "scale", "hpa", "pods", "samples", "expect"]);
    const replacement = fieldOf(step, "hpa");
    if (replacement !== undefined) hpa = { ...hpa, spec: readHpa(replacement, `${path}.hpa`).spec };
    const result = decide({ ...readStep(step, path), hpa, options }, memory);
    // State crosses steps as it would cross a restart: as JSON.
    memory = JSON.parse(JSON.stringify(result.memory)) as HpaMemory;
    hpa = { ...hpa, status: result.decision.status };
    differences.push(...compareStep(fieldOf(step, "expect") ?? {}, result.decision, `${path}.expect`));
  });
  return differences;
}

function readHpa(value: unknown, path: string): HorizontalPodAutoscaler {
  if (!isObject(value) || !isObject(value["spec"]))
    throw new VectorError(path, "is no HorizontalPodAutoscaler");
  return value as unknown as HorizontalPodAutoscaler;
}

function readStep(step: Json, path: string): Omit<DecideInput, "hpa" | "options"> {
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

const expectFields = [
  "scaleTo",
  "desiredReplicas",
  "currentReplicas",
  "conditions",
  "events",
  "currentMetrics",
];

function compareStep(given: unknown, decision: Decision, path: string): readonly CaseDifference[] {
  const expect = readObject(given, path, expectFields);
  const { scaleTo, status, events } = decision;
  const actual: Json = {
    scaleTo: scaleTo ?? null,
    desiredReplicas: status.desiredReplicas,
    currentReplicas: status.currentReplicas,
  };
  const counts = Object.keys(actual).flatMap((key) => {
    if (!Object.hasOwn(expect, key)) return [];
    return expect[key] === actual[key] ? [] : [differ(`${path}.${key}`, expect[key], actual[key])];
  });
  const lists = [
    ["events", events],
    ["currentMetrics", status.currentMetrics],
  ] as const;
  return [
    ...counts,
    ...readList(expect, "conditions", path).flatMap((item, i) =>
      compareCondition(item, decision, `${path}.conditions[${i}]`),
    ),
    ...lists.flatMap(([key, list]) =>
      Object.hasOwn(expect, key) ? compareJson(`${path}.${key}`, expect[key], list, "named") : [],
    ),
  ];
}

function compareCondition(given: unknown, decision: Decision, path: string): readonly CaseDifference[] {
  const expected = readObject(given, path, ["type", "status", "reason", "message"]);
  const found = decision.status.conditions.find(({ type }) => type === expected["type"]);
  if (expected["status"] === null) return found === undefined ? [] : [differ(path, null, found)];
  return found === undefined
    ? [differ(path, expected, undefined)]
    : compareJson(path, expected, found, "named");
}
