// Converts a CronHorizontalPodAutoscaler into a WorkloadAutoscaler with schedules.

import { cronHpaKind } from "@plimsoll/core/internal/objects";
import { fieldsOf, type Remark } from "@plimsoll/core/internal/values";
import { cronHpaGroup } from "../../cronhpa/source.ts";
import { hpaOf } from "../../manifests/hpa-bounds.ts";
import type { SourceObject } from "../../manifests/source.ts";
import type { Conversion, Converter, ConvertSettings } from "../converter.ts";
import { kedaOwner } from "../hpa/keda-owner.ts";
import { plainMetadata, workloadAutoscaler } from "../workload-autoscaler.ts";
import { cronSchedules } from "./schedules.ts";

export const cronHpaConverter: Converter = {
  group: cronHpaGroup,
  kind: cronHpaKind,
  convert,
};

function convert(
  source: SourceObject,
  { settings, all }: { readonly settings: ConvertSettings; readonly all: readonly SourceObject[] },
): Conversion {
  const { kind } = fieldsOf(fieldsOf(source.value["spec"])["scaleTargetRef"]);
  const isHpa = kind === "HorizontalPodAutoscaler";
  const converted = cronSchedules(source, settings, (size) =>
    isHpa ? { minReplicas: size } : { replicas: size },
  );
  if (!converted.ok) return converted;
  const hpa = hpaOf(source, all);
  const owner = hpa && kedaOwner(hpa);
  if (owner !== undefined) return { ok: false, problems: [ownedProblem(owner)] };
  if (hpa !== undefined) return { ok: true, documents: [], notes: [...converted.notes, joinedNote(hpa)] };
  const { read, schedules, base, sizes, notes } = converted;
  const { scaleTargetRef } = read.object.spec;
  const spec = {
    scaleTargetRef: isHpa ? { ...scaleTargetRef, apiVersion: "autoscaling/v2" } : scaleTargetRef,
    // The bounds of an HPA are never moved to 0.
    minReplicas: Math.max(1, base),
    maxReplicas: Math.max(...sizes),
    ...(settings.mode === undefined ? {} : { mode: settings.mode }),
    schedules,
  };
  const document = workloadAutoscaler(source, plainMetadata(source), spec);
  return {
    ok: true,
    documents: [document],
    notes: [...notes, ...(isHpa ? [hpaNote(scaleTargetRef.name, base)] : [])],
  };
}

const path = "spec.scaleTargetRef";

function hpaNote(name: string, base: number): Remark {
  const message = `is the HorizontalPodAutoscaler ${name}, whose own minReplicas applies outside of the schedules`;
  return { path, message, remedy: `make sure that it is ${base}, or convert both together into one object` };
}

function joinedNote(hpa: SourceObject): Remark {
  const { name } = fieldsOf(hpa.value["metadata"]);
  const message = `is scaled by the HorizontalPodAutoscaler ${String(name)}, whose WorkloadAutoscaler has these schedules`;
  return { path, message, remedy: "delete both objects after you apply it" };
}

function ownedProblem(owner: string): Remark {
  const message = `is also scaled by the ScaledObject ${JSON.stringify(owner)}`;
  return { path, message, remedy: "convert the jobs to cron triggers of the ScaledObject" };
}
