// Vectors of behavior.
import {
  defaultOptions,
  type HpaBehavior,
  type Recommendation,
  type ScaleEvent,
  type SemanticsProfile,
} from "@plimsoll/core";
import type { Fields } from "@plimsoll/core/internal/values";
import { applyPolicies, stabilize } from "@plimsoll/core/steps";
import { type CaseDifference, differ } from "../difference.ts";
import { readOptions } from "../options.ts";
import {
  fieldOf,
  optionalNumber,
  questionOf,
  readInstant,
  readList,
  readNumber,
  readObject,
} from "../read.ts";
import type { VectorKind } from "./kind.ts";

const asked = [
  "now",
  "options",
  "spec",
  "currentReplicas",
  "desiredReplicas",
  "recommendations",
  "scaleUpEvents",
  "scaleDownEvents",
];

/** Answer: `replicas`, `reason` and `recommendations`. */
export const behaviorKind: VectorKind = {
  question: (vector) => questionOf(vector, asked, ["name", "expect"]),
  answer,
  compare,
};

function answer(question: Fields, semantics: SemanticsProfile): Fields {
  const spec = readObject(question["spec"], "spec", ["minReplicas", "maxReplicas", "behavior"]);
  const nowMs = readInstant(question, "now", "");
  const currentReplicas = readNumber(question, "currentReplicas", "");
  const desiredReplicas = readNumber(question, "desiredReplicas", "");
  const behavior = fieldOf(spec, "behavior") as HpaBehavior | undefined;
  const stabilized = stabilize({
    nowMs,
    currentReplicas,
    desiredReplicas,
    behavior,
    recommendations: readRecommendations(question, "recommendations", ""),
    options: { ...defaultOptions, ...readOptions(question, semantics) },
  });
  const limited = applyPolicies({
    nowMs,
    currentReplicas,
    desiredReplicas: stabilized.replicas,
    minReplicas: optionalNumber(spec, "minReplicas", "spec"),
    maxReplicas: readNumber(spec, "maxReplicas", "spec"),
    behavior,
    scaleUpEvents: readEvents(question, "scaleUpEvents"),
    scaleDownEvents: readEvents(question, "scaleDownEvents"),
    semantics,
  });
  const isOnlyStabilized = stabilized.replicas !== desiredReplicas && !limited.isLimited;
  return {
    replicas: limited.replicas,
    reason: isOnlyStabilized ? stabilized.reason : limited.reason,
    recommendations: stabilized.recommendations.map(({ replicas, atMs }) => ({
      replicas,
      at: new Date(atMs).toISOString(),
    })),
  };
}

function compare(vector: Fields, given: Fields): readonly CaseDifference[] {
  const expect = readObject(vector["expect"], "expect", ["replicas", "reason", "recommendations"]);
  const differences = ["replicas", "reason"].flatMap((key) => {
    const expected = fieldOf(expect, key);
    const actual = fieldOf(given, key);
    return expected === undefined || expected === actual ? [] : [differ(`expect.${key}`, expected, actual)];
  });
  if (fieldOf(expect, "recommendations") === undefined) return differences;
  const expected = asSet(readRecommendations(expect, "recommendations", "expect"));
  const actual = asSet(readRecommendations(given, "recommendations", "answer"));
  return expected.join() === actual.join()
    ? differences
    : [...differences, differ("expect.recommendations", expected, actual)];
}

function asSet(recommendations: readonly Recommendation[]): readonly string[] {
  return recommendations.map(({ replicas, atMs }) => `${replicas}@${atMs}`).sort();
}

function readRecommendations(object: Fields, key: string, path: string): readonly Recommendation[] {
  return readList(object, key, path).map((item, i) => {
    const entry = readObject(item, `${key}[${i}]`, ["replicas", "at"]);
    return { replicas: readNumber(entry, "replicas", key), atMs: readInstant(entry, "at", key) };
  });
}

function readEvents(object: Fields, key: string): readonly ScaleEvent[] {
  return readList(object, key, "").map((item, i) => {
    const entry = readObject(item, `${key}[${i}]`, ["change", "at"]);
    return { change: readNumber(entry, "change", key), atMs: readInstant(entry, "at", key) };
  });
}
