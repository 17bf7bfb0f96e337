// Finds what is wrong with CronHorizontalPodAutoscalers, and what differs under Plimsoll.
import { type CompiledCronHpa, compileCronHpa } from "@plimsoll/core/cronhpa";
import { cronHpaKind } from "@plimsoll/core/internal/objects";
import type { Remark } from "@plimsoll/core/internal/values";
import { nextFiring, zoneOffset } from "@plimsoll/core/schedules";
import { hpaOf } from "../manifests/hpa-bounds.ts";
import type { ConvertProblem } from "../manifests/problem.ts";
import { type NamedText, readSources, type SourceObject } from "../manifests/source.ts";
import { exclusionFindings } from "./exclusion-findings.ts";
import { jobFindings } from "./job-findings.ts";
import { localText } from "./local-text.ts";
import { cronHpaGroup, readCronHpa } from "./source.ts";
import { targetFindings } from "./target-findings.ts";

export interface LintReport {
  readonly objects: number;
  readonly problems: readonly ConvertProblem[];
  /** Some file, or a part of it, could not be read. */
  readonly isPartial: boolean;
}

/** `timeZone` is a name of the IANA list. */
export async function lintTexts(
  texts: AsyncIterable<NamedText>,
  { timeZone, nowMs }: { readonly timeZone: string; readonly nowMs: number },
): Promise<LintReport> {
  const problems: ConvertProblem[] = [];
  const all: SourceObject[] = [];
  for await (const { name, text } of texts) {
    const read = readSources(text, name);
    problems.push(...read.problems);
    all.push(...read.objects);
  }
  const mine = all.filter((one) => one.kind === cronHpaKind && one.apiVersion.startsWith(`${cronHpaGroup}/`));
  const isPartial = problems.length > 0;
  const context = { all, timeZone, nowMs };
  for (const source of mine) problems.push(...findingsOf(source, context).map(source.locate));
  return { objects: mine.length, problems, isPartial };
}

function findingsOf(
  source: SourceObject,
  context: { readonly all: readonly SourceObject[]; readonly timeZone: string; readonly nowMs: number },
): readonly Remark[] {
  const read = readCronHpa(source);
  if (!read.ok) return read.findings;
  const { object } = read;
  const { all, timeZone, nowMs } = context;
  const compiled = compileCronHpa(object, { timeZone, bounds: "Move" }, zoneOffset);
  return [
    ...read.findings,
    ...targetFindings(object, compiled, hpaOf(source, all)),
    ...jobFindings(compiled, nowMs),
    ...sameInstants(compiled, nowMs),
    ...exclusionFindings(object, compiled, nowMs),
  ];
}

const maxRuns = 2000;

/** Jobs that want different sizes at the same instant. */
function sameInstants({ jobs, offset }: CompiledCronHpa, nowMs: number): readonly Remark[] {
  const at = new Map<number, number>();
  const findings: Remark[] = [];
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
      message: `is due at ${time}, as is ${jobs[clash.other]?.name ?? ""} with another size: kubernetes-cronhpa-controller runs them in any order, Plimsoll in list order`,
      remedy: "move one of them by a second if this matters",
    });
  }
  return findings;
}
