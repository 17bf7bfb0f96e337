// The first line of an explanation: which object, and where its decision comes from.

import { headLine, otherWriterNote, summaryState } from "@plimsoll/core";
import { problemOf } from "@plimsoll/decisions";
import type { Explained, WithDecision } from "../../decisions/source.ts";
import { rowOf } from "../../decisions/summary-row.ts";
import { ageOf } from "../../output/age.ts";

/** "HorizontalPodAutoscaler default/shop -> Deployment/shop", and "recorded 4s ago, in shadow". */
export function titleOf(
  { object, source, at, mode }: Explained,
  nowMs: number,
): {
  readonly object: string;
  readonly source: string;
} {
  const kind = object.resource === "workloadautoscalers" ? "WorkloadAutoscaler" : "HorizontalPodAutoscaler";
  const sources = {
    recorded: `recorded ${ageOf(at, nowMs) ?? ""} ago${modeText(mode)}`,
    recomputed: "recomputed now",
    status: "status only",
  };
  return {
    object: `${kind} ${object.namespace}/${object.name} -> ${object.target.kind}/${object.target.name}`,
    source: sources[source],
  };
}

function modeText(mode: string | undefined): string {
  const known = mode?.toLowerCase();
  if (known === "shadow") return ", in shadow";
  return known === "paused" ? ", paused" : "";
}

/** The first line: what becomes of the replicas, and the cause that keeps them. */
export function sentenceOf({ decision, source }: WithDecision, nowMs: number, cause?: string): string {
  const sentence = headLine(decision, { atMs: nowMs, isRecomputed: source === "recomputed" });
  return cause === undefined ? sentence : `${sentence.replace(/: [^]*$/, "")}: ${cause}`;
}

/** What a person has to look at, unless the first line has it. `hasCause`: it has the error of a failed decision. */
export function unsaidProblem(explained: Explained, sentence: string, hasCause: boolean): string | undefined {
  const row = rowOf(explained);
  const problem = problemOf(row);
  const said = row.otherWriter === undefined ? problem : otherWriterNote(row.otherWriter);
  const isSaid = summaryState(row) === "failed" ? hasCause : sentence.includes(said ?? "");
  return isSaid ? undefined : problem;
}
