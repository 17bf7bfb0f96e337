// A search as the document of it: without the specifications themselves, which the patches have.
import { createHash } from "node:crypto";
import { type Candidate, type Recording, recordingLines } from "@plimsoll/backtest";
import type { Assumption } from "@plimsoll/simulator";
import { loadAssumptions } from "../backtest/load-assumptions.ts";
import { recordedName } from "../backtest/recorded-autoscaler.ts";
import type { TuneCandidate, TuneDocument, TuneOpenLoop, TuneResult } from "./document.ts";
import type { Found, TuneSettings } from "./search.ts";

/** What a document has beside the result. */
export interface TuneRun {
  readonly recording: Recording;
  readonly settings: TuneSettings;
  readonly isZoneGiven: boolean;
  readonly version: string;
  readonly command: string;
}

export function tuneDocument(found: Found, run: TuneRun): TuneDocument {
  const { recording, settings, version, command } = run;
  const { refusal, forecast, notes, errors } = found;
  const openLoop = openLoopOf(found);
  const report = resultOf(found);
  return {
    schema: "plimsoll/tune/v1",
    version,
    object: recordedName(recording),
    from: new Date(recording.span.fromMs).toISOString(),
    to: new Date(recording.span.toMs).toISOString(),
    seed: settings.search.seed,
    command,
    recordingDigest: digestOf(recording),
    specDigest: `sha256:${createHash("sha256").update(JSON.stringify(found.autoscaler)).digest("hex")}`,
    ...(openLoop === undefined ? {} : { openLoop }),
    assumptions: assumptionsOf(found, run),
    ...(refusal === undefined ? {} : { refusal }),
    ...(report === undefined ? {} : { report }),
    ...(forecast === undefined ? {} : { forecast }),
    notes,
    errors,
  };
}

/** The digest by which a file of this recording ends. */
function digestOf(recording: Recording): string {
  let last = "";
  for (const line of recordingLines(recording)) last = line;
  const { end } = JSON.parse(last) as { readonly end: { readonly digest: string } };
  return end.digest;
}

function openLoopOf({ openLoop }: Found): TuneOpenLoop | undefined {
  if (openLoop === undefined) return undefined;
  const { steps, agreed, skill, clock } = openLoop;
  return { steps, agreed, ...(skill === undefined ? {} : { skill }), clock: clock.state };
}

function resultOf({ report }: Found): TuneResult | undefined {
  if (report === undefined) return undefined;
  const { today, front, recommendations, rejected } = report;
  return {
    ...report,
    today: withoutSpec(today),
    front: front.map(withoutSpec),
    recommendations: recommendations.map(withoutSpec),
    rejected: rejected.map(withoutSpec),
  };
}

function withoutSpec<T extends { readonly candidate: Candidate }>(
  of: T,
): Omit<T, "candidate"> & { readonly candidate: TuneCandidate } {
  const { id, what, changes, parameters } = of.candidate;
  return { ...of, candidate: { id, what, changes, parameters } };
}

function assumptionsOf(
  { inferred, report }: Found,
  { settings, isZoneGiven }: TuneRun,
): readonly Assumption[] {
  const { search } = settings;
  const { timeZone, candidates, objective } = search;
  return [
    ...(report === undefined ? [] : objectiveAssumptions(report.objective, objective)),
    { path: "timeZone", value: timeZone, source: isZoneGiven ? "given" : "default" },
    { path: "candidates", value: String(candidates), source: "given" },
    ...(inferred === undefined ? [] : loadAssumptions(inferred, settings)),
  ];
}

function objectiveAssumptions(
  { hotAbove, hotSecondsPerDay, shortPodSecondsPerDay }: TuneResult["objective"],
  objective: TuneSettings["search"]["objective"],
): readonly Assumption[] {
  const isGiven = objective.hotAbove !== undefined || objective.utilization !== undefined;
  const source = (value: number | undefined) => (value === undefined ? "default" : "given");
  return [
    { path: "hotAbove", value: String(hotAbove), source: isGiven ? "given" : "estimated" },
    { path: "hotSecondsPerDay", value: String(hotSecondsPerDay), source: source(objective.hotSecondsPerDay) },
    {
      path: "shortPodSecondsPerDay",
      value: String(shortPodSecondsPerDay),
      source: source(objective.shortPodSecondsPerDay),
    },
  ];
}
