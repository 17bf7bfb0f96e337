// Findings about the target of a CronHorizontalPodAutoscaler.
import { type CompiledCronHpa, type CronHpaSource, groupOfApiVersion } from "@plimsoll/core/cronhpa";
import { type Fields, fieldsOf, type Remark, textOf } from "@plimsoll/core/internal/values";
import type { SourceObject } from "../manifests/source.ts";

/** What there is to say of the target, with what else the files hold. */
export function targetFindings(
  { spec }: CronHpaSource,
  compiled: CompiledCronHpa,
  hpa: SourceObject | undefined,
): readonly Remark[] {
  const { apiVersion, kind } = spec.scaleTargetRef;
  const findings: Remark[] = [];
  if (!apiVersion.includes("/")) {
    findings.push({
      path: "spec.scaleTargetRef.apiVersion",
      value: apiVersion,
      message: `has no slash: kubernetes-cronhpa-controller crashes on it, for all objects; ${
        groupOfApiVersion(apiVersion) === ""
          ? "Plimsoll reads it as a version of the core group"
          : "under Plimsoll its own jobs fail"
      }`,
      remedy: 'use group and version, such as "apps/v1"',
    });
  }
  if (hpa === undefined) return findings;
  if (kind === "HorizontalPodAutoscaler")
    return [...findings, ...sizeFindings(compiled, fieldsOf(hpa.value["spec"]))];
  const other = textOf(fieldsOf(hpa.value["metadata"])["name"]);
  return [
    ...findings,
    {
      path: "spec.scaleTargetRef",
      message: `is also scaled by the HorizontalPodAutoscaler ${other}, which undoes the jobs`,
      remedy: `use that HorizontalPodAutoscaler as the target, or use schedules ("plimsoll convert")`,
    },
  ];
}

function sizeFindings({ jobs, bounds }: CompiledCronHpa, hpa: Fields): readonly Remark[] {
  const min = typeof hpa["minReplicas"] === "number" ? hpa["minReplicas"] : 1;
  const max = typeof hpa["maxReplicas"] === "number" ? hpa["maxReplicas"] : undefined;
  if (max === undefined) return [];
  return jobs.flatMap(({ plan, targetSize }, index) => {
    if (!plan.ok || (targetSize >= min && targetSize <= max)) return [];
    const isAbove = targetSize > max;
    const [field, bound] = isAbove ? ["maxReplicas", max] : ["minReplicas", min];
    const effect = {
      Move: `that is ${isAbove ? "raised" : "lowered"} to it, and stays so: no job brings it back`,
      Keep: `that stays, and the HorizontalPodAutoscaler undoes the job`,
      Within: `${bound} is used instead`,
    };
    return [
      {
        path: `spec.jobs[${index}].targetSize`,
        value: targetSize,
        message: `is ${isAbove ? "above" : "below"} ${field} ${bound} of the HorizontalPodAutoscaler: ${effect[bounds]}`,
        remedy: `with schedules the bounds are restored at the end ("plimsoll convert")`,
      },
    ];
  });
}
