// Checks vectors of metric proposals.
import type { MetricSamples, MetricSpec, Pod, SemanticsProfile } from "@plimsoll/core";
import { proposeReplicas } from "@plimsoll/core/steps";
import { compareJson } from "../compare.ts";
import { type CaseDifference, differ } from "../difference.ts";
import { readOptions } from "../options.ts";
import {
  fieldOf,
  isObject,
  type Json,
  optionalText,
  readInstant,
  readList,
  readNumber,
  readObject,
} from "../read.ts";
import { checkSamples } from "../samples.ts";

const fields = ["name", "now", "options", "replicas", "metric", "tolerance", "pods", "samples", "expect"];

export function checkProposal(given: unknown, semantics: SemanticsProfile): readonly CaseDifference[] {
  const vector = readObject(given, "", fields);
  const replicas = readObject(vector["replicas"], "replicas", ["spec", "status"]);
  const tolerance = readObject(fieldOf(vector, "tolerance") ?? {}, "tolerance", ["scaleUp", "scaleDown"]);
  checkSamples(vector["samples"], "samples");
  const proposal = proposeReplicas({
    nowMs: readInstant(vector, "now", ""),
    metric: vector["metric"] as MetricSpec,
    specReplicas: readNumber(replicas, "spec", "replicas"),
    statusReplicas: readNumber(replicas, "status", "replicas"),
    pods: readList(vector, "pods", "") as readonly Pod[],
    samples: vector["samples"] as MetricSamples,
    tolerance: {
      scaleUp: optionalText(tolerance, "scaleUp", "tolerance"),
      scaleDown: optionalText(tolerance, "scaleDown", "tolerance"),
    },
    options: readOptions(vector, semantics),
  });
  const expect = readObject(vector["expect"], "expect", ["replicas", "current", "error", "message"]);
  if (!proposal.ok) return checkError(expect, proposal.message);
  if (fieldOf(expect, "error") === true)
    return [differ("expect.error", true, { replicas: proposal.replicas })];
  const expected = fieldOf(expect, "replicas");
  const current = fieldOf(expect, "current");
  return [
    ...(expected === undefined || expected === proposal.replicas
      ? []
      : [differ("expect.replicas", expected, proposal.replicas)]),
    ...(current === undefined
      ? []
      : compareJson("expect.current", current, currentOf(proposal.status), "named")),
  ];
}

function checkError(expect: Json, message: string): readonly CaseDifference[] {
  if (fieldOf(expect, "error") !== true)
    return [differ("expect.replicas", fieldOf(expect, "replicas"), { error: message })];
  const part = optionalText(expect, "message", "expect");
  return part === undefined || message.includes(part) ? [] : [differ("expect.message", part, message)];
}

/** The `current` of whichever source the status holds. */
function currentOf(status: object): unknown {
  const source = Object.values(status).find(isObject);
  return source?.["current"];
}
