import type { CronHpaJob, CronHpaSource } from "@plimsoll/core";
import { type Finding, type Json, jsonOf, type SourceObject } from "../convert/source.ts";

export const cronHpaGroup = "autoscaling.alibabacloud.com";
export const cronHpaKind = "CronHorizontalPodAutoscaler";

const specFields = ["scaleTargetRef", "excludeDates", "jobs"];
const jobFields = ["name", "schedule", "targetSize", "runOnce"];

export type CronHpaRead =
  | {
      readonly ok: true;
      readonly object: CronHpaSource;
      readonly namespace: string;
      readonly name: string;
      /** What the API server drops. */
      readonly findings: readonly Finding[];
    }
  /** What the API server refuses. */
  | { readonly ok: false; readonly findings: readonly Finding[] };

/** Reads an object as the API server would take it. */
export function readCronHpa({ value, apiVersion }: SourceObject): CronHpaRead {
  const findings: Finding[] = [];
  const refuse = (path: string, of: unknown, message: string, remedy: string): void => {
    findings.push({ path, ...(of === undefined ? {} : { value: of }), message, remedy });
  };
  if (apiVersion !== `${cronHpaGroup}/v1beta1`)
    refuse("apiVersion", apiVersion, "is no version of the kind", `use ${cronHpaGroup}/v1beta1`);
  const metadata = jsonOf(value["metadata"]);
  const spec = jsonOf(value["spec"]);
  const text = (path: string, of: unknown): string => {
    if (typeof of !== "string")
      refuse(path, of, of === undefined ? "is missing" : "is no text", "give it as text");
    return typeof of === "string" ? of : "";
  };
  const list = (path: string, of: unknown): readonly unknown[] => {
    if (!Array.isArray(of)) refuse(path, of, of === undefined ? "is missing" : "is no list", "give a list");
    return Array.isArray(of) ? of : [];
  };
  const ref = jsonOf(spec["scaleTargetRef"]);
  const jobs = list("spec.jobs", spec["jobs"]).map((item, index): CronHpaJob => {
    const job = jsonOf(item);
    const at = (field: string) => `spec.jobs[${index}].${field}`;
    const { targetSize, runOnce = false } = job;
    if (!Number.isInteger(targetSize))
      refuse(at("targetSize"), targetSize, "is no whole number", "give a count");
    if (typeof runOnce !== "boolean")
      refuse(at("runOnce"), runOnce, "is neither true nor false", "give one of them");
    return {
      name: text(at("name"), job["name"]),
      schedule: text(at("schedule"), job["schedule"]),
      targetSize: Number(targetSize),
      runOnce: runOnce === true,
    };
  });
  const object: CronHpaSource = {
    metadata: { annotations: jsonOf(metadata["annotations"]) as Readonly<Record<string, string>> },
    spec: {
      scaleTargetRef: {
        apiVersion: text("spec.scaleTargetRef.apiVersion", ref["apiVersion"]),
        kind: text("spec.scaleTargetRef.kind", ref["kind"]),
        name: text("spec.scaleTargetRef.name", ref["name"]),
      },
      excludeDates:
        spec["excludeDates"] === undefined
          ? []
          : list("spec.excludeDates", spec["excludeDates"]).map((item, index) =>
              text(`spec.excludeDates[${index}]`, item),
            ),
      jobs,
    },
  };
  if (findings.length > 0) return { ok: false, findings };
  return {
    ok: true,
    object,
    namespace: typeof metadata["namespace"] === "string" ? metadata["namespace"] : "",
    name: typeof metadata["name"] === "string" ? metadata["name"] : "",
    findings: [
      ...dropped(spec, specFields, "spec"),
      ...jobs.flatMap((_, index) => {
        const list = spec["jobs"] as readonly unknown[];
        return dropped(jsonOf(list[index]), jobFields, `spec.jobs[${index}]`);
      }),
    ],
  };
}

function dropped(of: Json, known: readonly string[], path: string): readonly Finding[] {
  return Object.keys(of)
    .filter((field) => !known.includes(field))
    .map((field) => ({
      path: `${path}.${field}`,
      message: "is no field of it, and has no effect",
      remedy: `it has ${known.join(", ")}`,
    }));
}
