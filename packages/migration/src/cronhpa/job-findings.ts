// Findings about single jobs of a CronHorizontalPodAutoscaler.
import type { CompiledCronHpa, CompiledCronHpaJob } from "@plimsoll/core/cronhpa";
import { type Remark, yearMs } from "@plimsoll/core/internal/values";
import { nextFiring } from "@plimsoll/core/schedules";
import { dayText, localText } from "./local-text.ts";
import { type ClockChange, clockChanges, dueWithin } from "./other-controller.ts";

/** What there is to say of each job by itself. */
export function jobFindings(compiled: CompiledCronHpa, nowMs: number): readonly Remark[] {
  const changes = clockChanges({ fromMs: nowMs, untilMs: nowMs + yearMs }, compiled.offset);
  return compiled.jobs.flatMap((job, index) => {
    const at = { path: `spec.jobs[${index}].schedule`, value: job.schedule };
    if (!job.plan.ok) return [brokenFinding(job, index)];
    return [
      ...(job.warnings.some(({ reason }) => reason === "SecondsFirst")
        ? [fiveFields(at, job, { compiled, nowMs })]
        : []),
      ...yearFinding(at, job, { compiled, nowMs }),
      ...changeFindings(at, job, changes),
    ];
  });
}

interface At {
  readonly path: string;
  readonly value: unknown;
}

interface Now {
  readonly compiled: CompiledCronHpa;
  readonly nowMs: number;
}

function brokenFinding({ plan, schedule }: CompiledCronHpaJob, index: number): Remark {
  const { message, reason } = plan.ok ? { message: "" } : plan;
  const path = `spec.jobs[${index}]`;
  if (reason === "NeverOccurs") {
    return {
      path: `${path}.schedule`,
      value: schedule,
      message:
        "never occurs: kubernetes-cronhpa-controller scales to its targetSize every ten minutes, but Plimsoll never does",
      remedy: "use a day that exists in that month",
    };
  }
  if (reason === "NotASchedule") {
    const remedy =
      "use second, minute, hour, day of month, month, and day of week, or a descriptor such as @daily";
    return {
      path: `${path}.schedule`,
      value: schedule,
      message: "is not a schedule, and its job fails",
      remedy,
    };
  }
  return { path, message: `fails: ${message}`, remedy: "correct it" };
}

function fiveFields(at: At, job: CompiledCronHpaJob, { compiled, nowMs }: Now): Remark {
  const next = job.plan.ok ? nextFiring(job.plan.schedule, nowMs, compiled.offset) : undefined;
  const when = next === undefined ? "" : `, next at ${localText(next, compiled.offset)}`;
  const message = `has five fields, and both controllers read seconds first: it is due in second ${job.schedule.trim().split(/\s+/)[0] ?? ""} of the minutes in its second field${when}`;
  return { ...at, message, remedy: `use "0 ${job.schedule.trim()}" if you meant crontab syntax` };
}

/** A date whose year is not the next one that comes up. */
function yearFinding(at: At, job: CompiledCronHpaJob, { compiled, nowMs }: Now): readonly Remark[] {
  const stated = /^@date (\d{4})-/.exec(job.schedule.trim())?.[1];
  const next = job.plan.ok ? nextFiring(job.plan.schedule, nowMs, compiled.offset) : undefined;
  if (stated === undefined || next === undefined) return [];
  const day = dayText(next, compiled.offset);
  if (day.startsWith(`${stated}-`)) return [];
  const message = `is due on ${day}: neither controller reads the year`;
  return [{ ...at, message, remedy: "remove the job, or set its next date" }];
}

function changeFindings(at: At, job: CompiledCronHpaJob, changes: readonly ClockChange[]): readonly Remark[] {
  const { plan } = job;
  if (!plan.ok) return [];
  const found = changes.flatMap((change) => {
    const due = dueWithin(plan.schedule, change);
    return due === undefined ? [] : [{ change, due }];
  });
  return (["skipped", "repeated"] as const).flatMap((kind) => {
    const first = found.find(({ change }) => change.kind === kind);
    if (first === undefined) return [];
    const time = new Date(first.due).toISOString().slice(0, 16).replace("T", " ");
    const message =
      kind === "skipped"
        ? `is due at ${time}, which clocks skip: kubernetes-cronhpa-controller skips that run, Plimsoll runs it right after the gap`
        : `is due at ${time}, which occurs twice: kubernetes-cronhpa-controller runs it twice, Plimsoll once`;
    return [{ ...at, message, remedy: "use a time outside of that hour if this matters" }];
  });
}
