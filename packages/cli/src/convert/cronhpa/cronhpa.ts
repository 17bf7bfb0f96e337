// Converts a CronHorizontalPodAutoscaler into a WorkloadAutoscaler with schedules.

import type { ReplicaBounds } from "@plimsoll/core";
import { compileCronHpa } from "@plimsoll/core/cronhpa";
import { zoneOffset } from "@plimsoll/core/schedules";
import { cronHpaGroup, cronHpaKind, readCronHpa } from "../../cronhpa/source.ts";
import type { Conversion, Converter, ConvertSettings } from "../converter.ts";
import { hpaBounds } from "../hpa-bounds.ts";
import { type Finding, jsonOf, type SourceObject } from "../source.ts";
import { plainMetadata, workloadAutoscaler } from "../workload-autoscaler.ts";
import { entriesOf } from "./entries.ts";
import { exclusionsOf } from "./exclusions.ts";

export const cronHpaConverter: Converter = {
  group: cronHpaGroup,
  kind: cronHpaKind,
  convert,
};

function convert(
  source: SourceObject,
  { settings, all }: { readonly settings: ConvertSettings; readonly all: readonly SourceObject[] },
): Conversion {
  const read = readCronHpa(source);
  if (!read.ok) return { ok: false, problems: read.findings };
  const { object, namespace } = read;
  const compiled = compileCronHpa(object, { timeZone: settings.timeZone, bounds: "Move" }, zoneOffset);
  const { scaleTargetRef, excludeDates } = object.spec;
  const isHpa = scaleTargetRef.kind === "HorizontalPodAutoscaler";
  const excluded = exclusionsOf(excludeDates, settings.nowMs);
  const entries = entriesOf(compiled, {
    timeZone: compiled.timeZone,
    zone: zoneOffset,
    nowMs: settings.nowMs,
    exclusions: excluded.exclusions,
    imposes: isHpa ? "minReplicas" : "replicas",
  });
  const problems = [...excluded.problems, ...entries.problems];
  if (problems.length > 0) return { ok: false, problems };

  const hpa = isHpa ? hpaBounds(all, { namespace, name: scaleTargetRef.name }) : undefined;
  const sizes = compiled.jobs.map(({ targetSize }) => targetSize);
  const spec = {
    scaleTargetRef: isHpa ? { ...scaleTargetRef, apiVersion: "autoscaling/v2" } : scaleTargetRef,
    // The bounds of an HPA are never moved to 0.
    minReplicas: Math.max(1, Math.min(hpa?.minReplicas ?? entries.base, entries.base)),
    maxReplicas: Math.max(hpa?.maxReplicas ?? 0, ...sizes),
    ...(settings.mode === undefined ? {} : { mode: settings.mode }),
    schedules: entries.schedules,
  };
  // The HPA becomes a WorkloadAutoscaler of its own name.
  const isNameTaken = hpa !== undefined && read.name === scaleTargetRef.name;
  const metadata = plainMetadata(source);
  const document = workloadAutoscaler(
    source,
    isNameTaken ? { ...metadata, name: `${read.name}-schedules` } : metadata,
    spec,
  );
  const notes = [
    ...read.findings,
    ...excluded.notes,
    ...entries.notes,
    ...(settings.isZoneGiven ? [] : zoneNotes(source, compiled.timeZone)),
    ...(isHpa ? hpaNotes(hpa, { base: entries.base, name: scaleTargetRef.name }) : []),
  ];
  return { ok: true, documents: [document], notes };
}

function zoneNotes({ value }: SourceObject, timeZone: string): readonly Finding[] {
  const annotations = jsonOf(jsonOf(value["metadata"])["annotations"]);
  if (annotations["autoscaling.plimsoll.dev/time-zone"] !== undefined) return [];
  const message = `are in ${timeZone}`;
  return [{ path: "spec.jobs", message, remedy: "give the zone that the controller ran in as --time-zone" }];
}

function hpaNotes(
  hpa: ReplicaBounds | undefined,
  { base, name }: { readonly base: number; readonly name: string },
): readonly Finding[] {
  const path = "spec.scaleTargetRef";
  if (hpa === undefined) {
    const message = `is the HorizontalPodAutoscaler ${name}, whose own minReplicas holds outside of the schedules`;
    return [
      { path, message, remedy: `see that it is ${base}; give its file too, to have its bounds considered` },
    ];
  }
  const notes: Finding[] = [];
  if (hpa.minReplicas !== base) {
    const message = `has minReplicas ${hpa.minReplicas}, which holds outside of the schedules where a job says ${base}`;
    notes.push({ path, message, remedy: "set what is meant there" });
  }
  const message = `is converted itself: its WorkloadAutoscaler can have these schedules, instead of one that moves the bounds of a HorizontalPodAutoscaler`;
  return [...notes, { path, message, remedy: "move them there unless the HorizontalPodAutoscaler stays" }];
}
