// Adds the schedules of CronHorizontalPodAutoscalers to the WorkloadAutoscaler of their HPA.
import { cronHpaKind } from "@plimsoll/core/internal/objects";
import { type Fields, fieldsOf, type Remark } from "@plimsoll/core/internal/values";
import type { ScheduleSpec } from "@plimsoll/core/schedules";
import type { Document } from "yaml";
import { hpaOf } from "../../manifests/hpa-bounds.ts";
import type { SourceObject } from "../../manifests/source.ts";
import type { ConvertSettings } from "../converter.ts";
import { cronSchedules } from "../cronhpa/schedules.ts";
import type { Findings } from "../findings.ts";

/** Changes the document if it is the WorkloadAutoscaler of the HPA. */
export function addCronSchedules(
  source: SourceObject,
  document: Document,
  { settings, all }: { readonly settings: ConvertSettings; readonly all: readonly SourceObject[] },
  findings: Findings,
): void {
  const [cronHpa, another] = all.filter((one) => one.kind === cronHpaKind && hpaOf(one, all) === source);
  if (cronHpa === undefined) return;
  const nameOf = ({ value }: SourceObject) => JSON.stringify(fieldsOf(value["metadata"])["name"] ?? "");
  const path = "spec.scaleTargetRef";
  if (another !== undefined) {
    const message = `has the schedules of the CronHorizontalPodAutoscalers ${nameOf(cronHpa)} and ${nameOf(another)}`;
    findings.problem({ path, message, remedy: "put all jobs in one of them" });
    return;
  }
  const { minReplicas = 1, maxReplicas } = fieldsOf(fieldsOf(document.toJS())["spec"]) as Bounds;
  const isMoved =
    fieldsOf(fieldsOf(cronHpa.value["spec"])["scaleTargetRef"])["kind"] === "HorizontalPodAutoscaler";
  const converted = cronSchedules(cronHpa, settings, (size) => {
    if (isMoved) return { minReplicas: size };
    // Without replicas an HPA is stopped, and so its metrics are.
    return size === 0 ? { replicas: 0 } : { minReplicas: Math.min(Math.max(size, minReplicas), maxReplicas) };
  });
  if (!converted.ok) {
    const message = `has the schedules of the CronHorizontalPodAutoscaler ${nameOf(cronHpa)}, which can't be converted`;
    findings.problem({ path, message, remedy: "correct that object" });
    return;
  }
  const { schedules, base, sizes } = converted;
  if (isMoved) {
    document.setIn(["spec", "minReplicas"], Math.max(1, base));
    document.setIn(["spec", "maxReplicas"], Math.max(maxReplicas, ...sizes));
  } else for (const note of beside({ sizes, base }, { minReplicas, maxReplicas })) findings.note(note);
  const known = (fieldsOf(fieldsOf(document.toJS())["spec"])["schedules"] ?? []) as readonly ScheduleSpec[];
  const names = new Set(known.map(({ name }) => name));
  const renamed = schedules.map((entry) =>
    names.has(entry.name) ? { ...entry, name: `cron-${entry.name}` } : entry,
  );
  document.setIn(["spec", "schedules"], document.createNode([...known, ...renamed]));
}

interface Bounds extends Fields {
  readonly minReplicas?: number;
  readonly maxReplicas: number;
}

/** Where jobs and an HPA scale one target, the HPA goes on from the replicas that a job set. */
function beside(
  { sizes, base }: { readonly sizes: readonly number[]; readonly base: number },
  { minReplicas, maxReplicas }: { readonly minReplicas: number; readonly maxReplicas: number },
): readonly Remark[] {
  const path = "spec.scaleTargetRef";
  const hasUnwritten = base > 0;
  const others = hasUnwritten ? ` except those for ${base} replicas` : "";
  const unwritten = hasUnwritten ? `. After a job for ${base}, only minReplicas limits it` : "";
  const message = `is also scaled by a CronHorizontalPodAutoscaler: each job${others} becomes a floor until the next job, while this object could go below it at once${unwritten}`;
  const notes: Remark[] = [{ path, message, remedy: "lower the floors if metrics may go below them" }];
  const outside = sizes.filter((size) => size > 0 && (size < minReplicas || size > maxReplicas));
  if (outside.length > 0)
    notes.push({
      path,
      message: `has jobs for ${outside.join(", ")} replicas, which this object moves back to ${minReplicas} to ${maxReplicas}`,
      remedy: "change minReplicas or maxReplicas if the jobs are right",
    });
  return notes;
}
