// Checks vectors of behavior.
import {
  defaultOptions,
  type HpaBehavior,
  type Recommendation,
  type ScaleEvent,
  type SemanticsProfile,
} from "@plimsoll/core";
import { applyPolicies, stabilize } from "@plimsoll/core/steps";
import { type CaseDifference, differ } from "../difference.ts";
import { readOptions } from "../options.ts";
import {
  fieldOf,
  type Json,
  optionalNumber,
  readInstant,
  readList,
  readNumber,
  readObject,
} from "../read.ts";

const fields = [
  "name",
  "now",
  "options",
  "spec",
  "currentReplicas",
  "desiredReplicas",
  "recommendations",
  "scaleUpEvents",
  "scaleDownEvents",
  "expect",
];

export function checkBehavior(given: unknown, semantics: SemanticsProfile): readonly CaseDifference[] {
  const vector = readObject(given, "", fields);
  const spec = readObject(vector["spec"], "spec", ["minReplicas", "maxReplicas", "behavior"]);
  const nowMs = readInstant(vector, "now", "");
  const currentReplicas = readNumber(vector, "currentReplicas", "");
  const desiredReplicas = readNumber(vector, "desiredReplicas", "");
  const behavior = fieldOf(spec, "behavior") as HpaBehavior | undefined;
  const stabilized = stabilize({
    nowMs,
    currentReplicas,
    desiredReplicas,
    behavior,
    recommendations: readRecommendations(vector, "recommendations", ""),
    options: { ...defaultOptions, ...readOptions(vector, semantics) },
  });
  const limited = applyPolicies({
    nowMs,
    currentReplicas,
    desiredReplicas: stabilized.replicas,
    minReplicas: optionalNumber(spec, "minReplicas", "spec"),
    maxReplicas: readNumber(spec, "maxReplicas", "spec"),
    behavior,
    scaleUpEvents: readEvents(vector, "scaleUpEvents"),
    scaleDownEvents: readEvents(vector, "scaleDownEvents"),
  });
  const isOnlyStabilized = stabilized.replicas !== desiredReplicas && !limited.isLimited;
  return compareExpected(vector, {
    replicas: limited.replicas,
    reason: isOnlyStabilized ? stabilized.reason : limited.reason,
    recommendations: stabilized.recommendations,
  });
}

function compareExpected(
  vector: Json,
  actual: { replicas: number; reason: string; recommendations: readonly Recommendation[] },
): readonly CaseDifference[] {
  const expect = readObject(vector["expect"], "expect", ["replicas", "reason", "recommendations"]);
  const differences: CaseDifference[] = [];
  const replicas = fieldOf(expect, "replicas");
  if (replicas !== undefined && replicas !== actual.replicas) {
    differences.push(differ("expect.replicas", replicas, actual.replicas));
  }
  const reason = fieldOf(expect, "reason");
  if (reason !== undefined && reason !== actual.reason) {
    differences.push(differ("expect.reason", reason, actual.reason));
  }
  if (fieldOf(expect, "recommendations") !== undefined) {
    const expected = asSet(readRecommendations(expect, "recommendations", "expect"));
    const found = asSet(actual.recommendations);
    if (expected.join() !== found.join()) {
      differences.push(differ("expect.recommendations", expected, found));
    }
  }
  return differences;
}

function asSet(recommendations: readonly Recommendation[]): readonly string[] {
  return recommendations.map(({ replicas, atMs }) => `${replicas}@${atMs}`).sort();
}

function readRecommendations(object: Json, key: string, path: string): readonly Recommendation[] {
  return readList(object, key, path).map((item, i) => {
    const entry = readObject(item, `${key}[${i}]`, ["replicas", "at"]);
    return { replicas: readNumber(entry, "replicas", key), atMs: readInstant(entry, "at", key) };
  });
}

function readEvents(object: Json, key: string): readonly ScaleEvent[] {
  return readList(object, key, "").map((item, i) => {
    const entry = readObject(item, `${key}[${i}]`, ["change", "at"]);
    return { change: readNumber(entry, "change", key), atMs: readInstant(entry, "at", key) };
  });
}
