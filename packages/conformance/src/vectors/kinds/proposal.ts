// Vectors of metric proposals.
import type { MetricSamples, MetricSpec, Pod, SemanticsProfile } from "@plimsoll/core";
import { type Fields, isFields } from "@plimsoll/core/internal/values";
import { proposeReplicas } from "@plimsoll/core/steps";
import { compareJson } from "../compare.ts";
import { type CaseDifference, differ } from "../difference.ts";
import { readOptions } from "../options.ts";
import {
  fieldOf,
  optionalText,
  questionOf,
  readInstant,
  readList,
  readNumber,
  readObject,
  textOf,
} from "../read.ts";
import { checkSamples } from "../samples.ts";
import type { VectorKind } from "./kind.ts";

const asked = ["now", "options", "replicas", "metric", "tolerance", "pods", "samples"];

/** Answer: `replicas` and `current`, or `error` with the message. */
export const proposalKind: VectorKind = {
  question: (vector) => questionOf(vector, asked, ["name", "expect"]),
  answer,
  compare,
};

function answer(question: Fields, semantics: SemanticsProfile): Fields {
  const replicas = readObject(question["replicas"], "replicas", ["spec", "status"]);
  const tolerance = readObject(fieldOf(question, "tolerance") ?? {}, "tolerance", ["scaleUp", "scaleDown"]);
  checkSamples(question["samples"], "samples");
  const proposal = proposeReplicas({
    nowMs: readInstant(question, "now", ""),
    metric: question["metric"] as MetricSpec,
    specReplicas: readNumber(replicas, "spec", "replicas"),
    statusReplicas: readNumber(replicas, "status", "replicas"),
    pods: readList(question, "pods", "") as readonly Pod[],
    samples: question["samples"] as MetricSamples,
    tolerance: {
      scaleUp: optionalText(tolerance, "scaleUp", "tolerance"),
      scaleDown: optionalText(tolerance, "scaleDown", "tolerance"),
    },
    options: readOptions(question, semantics),
  });
  return proposal.ok
    ? { replicas: proposal.replicas, current: currentOf(proposal.status) }
    : { error: proposal.message };
}

/** The `current` of whichever source the status holds. */
function currentOf(status: object): unknown {
  const source = Object.values(status).find(isFields);
  return source?.["current"];
}

function compare(vector: Fields, given: Fields): readonly CaseDifference[] {
  const expect = readObject(vector["expect"], "expect", ["replicas", "current", "error", "message"]);
  const error = fieldOf(given, "error");
  if (error !== undefined) return compareError(expect, textOf(error));
  const replicas = fieldOf(given, "replicas");
  if (fieldOf(expect, "error") === true) return [differ("expect.error", true, { replicas })];
  const expected = fieldOf(expect, "replicas");
  const current = fieldOf(expect, "current");
  return [
    ...(expected === undefined || expected === replicas
      ? []
      : [differ("expect.replicas", expected, replicas)]),
    ...(current === undefined
      ? []
      : compareJson("expect.current", current, fieldOf(given, "current"), "named")),
  ];
}

function compareError(expect: Fields, message: string): readonly CaseDifference[] {
  if (fieldOf(expect, "error") !== true)
    return [differ("expect.replicas", fieldOf(expect, "replicas"), { error: message })];
  const part = optionalText(expect, "message", "expect");
  return part === undefined || message.includes(part) ? [] : [differ("expect.message", part, message)];
}
