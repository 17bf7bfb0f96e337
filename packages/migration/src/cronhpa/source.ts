// Reads a CronHorizontalPodAutoscaler out of a file, with the checks of the API server.
import type { CronHpaJob, CronHpaSource } from "@plimsoll/core/cronhpa";
import { type Fields, fieldsOf, type Remark } from "@plimsoll/core/internal/values";
import type { SourceObject } from "../manifests/source.ts";

export const cronHpaGroup = "autoscaling.alibabacloud.com";

const specFields = ["scaleTargetRef", "excludeDates", "jobs"];
const jobFields = ["name", "schedule", "targetSize", "runOnce"];

export type CronHpaRead =
  | {
      readonly ok: true;
      readonly object: CronHpaSource;
      /** What the API server drops. */
      readonly findings: readonly Remark[];
    }
  /** What the API server refuses. */
  | { readonly ok: false; readonly findings: readonly Remark[] };

/** Reads an object as the API server would take it. */
export function readCronHpa({ value, apiVersion }: SourceObject): CronHpaRead {
  const check = createChecks();
  if (apiVersion !== `${cronHpaGroup}/v1beta1`)
    check.refuse("apiVersion", apiVersion, "is not a version of this kind", `use ${cronHpaGroup}/v1beta1`);
  const metadata = fieldsOf(value["metadata"]);
  const spec = fieldsOf(value["spec"]);
  const ref = fieldsOf(spec["scaleTargetRef"]);
  const items = check.list("spec.jobs", spec["jobs"]).map(fieldsOf);
  const object: CronHpaSource = {
    metadata: { annotations: fieldsOf(metadata["annotations"]) as Readonly<Record<string, string>> },
    spec: {
      jobs: items.map((item, index) => jobOf(item, index, check)),
      scaleTargetRef: {
        apiVersion: check.text("spec.scaleTargetRef.apiVersion", ref["apiVersion"]),
        kind: check.text("spec.scaleTargetRef.kind", ref["kind"]),
        name: check.text("spec.scaleTargetRef.name", ref["name"]),
      },
      excludeDates: check
        .list("spec.excludeDates", spec["excludeDates"] ?? [])
        .map((item, index) => check.text(`spec.excludeDates[${index}]`, item)),
    },
  };
  if (check.findings.length > 0) return { ok: false, findings: check.findings };
  return {
    ok: true,
    object,
    findings: [
      ...dropped(spec, specFields, "spec"),
      ...items.flatMap((item, index) => dropped(item, jobFields, `spec.jobs[${index}]`)),
    ],
  };
}

function jobOf(job: Fields, index: number, check: Checks): CronHpaJob {
  const at = (field: string) => `spec.jobs[${index}].${field}`;
  const { targetSize, runOnce = false } = job;
  if (!Number.isInteger(targetSize))
    check.refuse(at("targetSize"), targetSize, "is not a whole number", "use a number");
  if (typeof runOnce !== "boolean")
    check.refuse(at("runOnce"), runOnce, "must be true or false", "use one of them");
  return {
    name: check.text(at("name"), job["name"]),
    schedule: check.text(at("schedule"), job["schedule"]),
    targetSize: Number(targetSize),
    runOnce: runOnce === true,
  };
}

/** Checks of single values; what they refuse is collected. */
interface Checks {
  readonly findings: readonly Remark[];
  refuse(path: string, value: unknown, message: string, remedy: string): void;
  text(path: string, value: unknown): string;
  list(path: string, value: unknown): readonly unknown[];
}

function createChecks(): Checks {
  const findings: Remark[] = [];
  const refuse: Checks["refuse"] = (path, value, message, remedy) => {
    findings.push({ path, ...(value === undefined ? {} : { value }), message, remedy });
  };
  return {
    findings,
    refuse,
    text(path, value) {
      if (typeof value === "string") return value;
      refuse(path, value, value === undefined ? "is missing" : "is not a string", "use a string");
      return "";
    },
    list(path, value) {
      if (Array.isArray(value)) return value;
      refuse(path, value, value === undefined ? "is missing" : "is not a list", "use a list");
      return [];
    },
  };
}

function dropped(of: Fields, known: readonly string[], path: string): readonly Remark[] {
  return Object.keys(of)
    .filter((field) => !known.includes(field))
    .map((field) => ({
      path: `${path}.${field}`,
      message: "is not a field and has no effect",
      remedy: `it has ${known.join(", ")}`,
    }));
}
