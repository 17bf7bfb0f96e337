// Files of CronHorizontalPodAutoscalers, and what `plimsoll convert` makes of them.
import type { ScheduleSpec } from "@plimsoll/core/schedules";
import { parseAllDocuments } from "yaml";
import { plimsoll } from "./run-plimsoll.ts";

export interface Converted {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly scaleTargetRef: object;
    readonly minReplicas: number;
    readonly maxReplicas: number;
    readonly schedules: readonly ScheduleSpec[];
  };
}

export const convert = (text: string, ...flags: string[]) =>
  convertPlainly(text, "--time-zone=Europe/Berlin", ...flags);

export const convertPlainly = (text: string, ...flags: string[]) =>
  convertAt("2026-06-01T00:00:00Z", text, ...flags);

export async function convertAt(now: string, text: string, ...flags: string[]) {
  const seams = { readText: async () => text, nowMs: () => Date.parse(now) };
  const { code, out, err: errors } = await plimsoll(["convert", "f.yaml", ...flags], seams);
  const objects = parseAllDocuments(out).map((document) => document.toJS() as Converted);
  return { code, out, errors, objects, object: objects.at(-1) };
}

export const cronHpa = (
  jobs: readonly string[],
  { ref, excludeDates }: { readonly ref?: string; readonly excludeDates?: string } = {},
) => `# The shop's hours.
apiVersion: autoscaling.alibabacloud.com/v1beta1
kind: CronHorizontalPodAutoscaler
metadata: { name: shop, namespace: web, labels: { team: a } }
spec:
  scaleTargetRef: ${ref ?? "{ apiVersion: apps/v1, kind: Deployment, name: shop }"}
  ${excludeDates === undefined ? "" : `excludeDates: ${excludeDates}`}
  jobs:
${jobs.map((job) => `    - { ${job} }`).join("\n")}
`;

/** Jobs by day and by night. */
export const hours = (day: number, night: number, rest?: Parameters<typeof cronHpa>[1]) =>
  cronHpa(
    [
      `name: up, schedule: "0 0 9 * * *", targetSize: ${day}`,
      `name: down, schedule: "0 0 18 * * *", targetSize: ${night}`,
    ],
    rest,
  );
