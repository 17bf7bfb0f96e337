// Finds what is wrong with CronHorizontalPodAutoscalers, and what differs under Plimsoll.
import { type CompiledCronHpa, compileCronHpa } from "@plimsoll/core/cronhpa";
import { nextFiring, zoneOffset } from "@plimsoll/core/schedules";
import type { ConvertProblem } from "../convert/problem.ts";
import { type Finding, readSources, type SourceObject } from "../convert/source.ts";
import { readInput } from "../read-input.ts";
import { CliError, type CliSeams } from "../seams.ts";
import { namedZone } from "../time-zone.ts";
import { exclusionFindings } from "./exclusion-findings.ts";
import { jobFindings } from "./job-findings.ts";
import { localText } from "./local-text.ts";
import { cronHpaGroup, cronHpaKind, readCronHpa } from "./source.ts";
import { targetFindings } from "./target-findings.ts";

export interface LintReport {
  readonly objects: number;
  readonly problems: readonly ConvertProblem[];
  /** Some file, or a part of it, could not be read. */
  readonly isPartial: boolean;
}

/** @throws CliError when a file cannot be read, or has nothing of the kind. */
export async function lintFiles(
  files: readonly string[],
  { timeZone, seams }: { readonly timeZone: string; readonly seams: Pick<CliSeams, "readText" | "nowMs"> },
): Promise<LintReport> {
  namedZone(timeZone);
  const problems: ConvertProblem[] = [];
  const all: SourceObject[] = [];
  for (const file of files) {
    const read = readSources(await readInput(file, seams), file === "-" ? "(standard input)" : file);
    problems.push(...read.problems);
    all.push(...read.objects);
  }
  const mine = all.filter((one) => one.kind === cronHpaKind && one.apiVersion.startsWith(`${cronHpaGroup}/`));
  const isPartial = problems.length > 0;
  if (mine.length === 0 && problems.length === 0)
    throw new CliError(`there is no ${cronHpaKind} in ${files.join(", ")}`);
  const context = { all, timeZone, nowMs: seams.nowMs() };
  for (const source of mine) problems.push(...findingsOf(source, context).map(source.locate));
  return { objects: mine.length, problems, isPartial };
}

function findingsOf(
  source: SourceObject,
  context: { readonly all: readonly SourceObject[]; readonly timeZone: string; readonly nowMs: number },
): readonly Finding[] {
  const read = readCronHpa(source);
  if (!read.ok) return read.findings;
  const { object, namespace } = read;
  const { all, timeZone, nowMs } = context;
  const compiled = compileCronHpa(object, { timeZone, bounds: "Move" }, zoneOffset);
  return [
    ...read.findings,
    ...targetFindings(object, compiled, { namespace, all }),
    ...jobFindings(compiled, nowMs),
    ...sameInstants(compiled, nowMs),
    ...exclusionFindings(object, compiled, nowMs),
  ];
}

const maxRuns = 2000;

/** Jobs that want different sizes at the same instant. */
function sameInstants({ jobs, offset }: CompiledCronHpa, nowMs: number): readonly Finding[] {
  const at = new Map<number, number>();
  const findings: Finding[] = [];
  for (const [index, { plan, targetSize }] of jobs.entries()) {
    if (!plan.ok) continue;
    let clash: { readonly due: number; readonly other: number } | undefined;
    let due = nextFiring(plan.schedule, nowMs, offset);
    for (let run = 0; due !== undefined && run < maxRuns; run++) {
      const other = at.get(due);
      if (other === undefined) at.set(due, index);
      else if (jobs[other]?.targetSize !== targetSize) clash ??= { due, other };
      due = nextFiring(plan.schedule, due, offset);
    }
    if (clash === undefined) continue;
    const time = localText(clash.due, offset);
    findings.push({
      path: `spec.jobs[${index}]`,
      message: `is due at ${time}, as is ${jobs[clash.other]?.name ?? ""} with another size: kubernetes-cronhpa-controller runs them in any order, Plimsoll in that of the list`,
      remedy: "move one of them by a second where this matters",
    });
  }
  return findings;
}
