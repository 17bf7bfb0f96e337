import { type CompiledCronHpa, compileCronHpa, nextFiring, zoneOffset } from "@plimsoll/core";
import type { ConvertProblem } from "../convert/problem.ts";
import { type Finding, readSources, type SourceObject } from "../convert/source.ts";
import { CliError, type CliSeams } from "../seams.ts";
import { exclusionFindings } from "./exclusion-findings.ts";
import { jobFindings } from "./job-findings.ts";
import { localText } from "./local-text.ts";
import { cronHpaGroup, cronHpaKind, readCronHpa } from "./source.ts";
import { targetFindings } from "./target-findings.ts";

export interface LintReport {
  readonly objects: number;
  readonly problems: readonly ConvertProblem[];
}

/** @throws CliError when a file cannot be read, or has nothing of the kind. */
export async function lintFiles(
  files: readonly string[],
  o: { readonly timeZone: string; readonly seams: Pick<CliSeams, "readText" | "nowMs"> },
): Promise<LintReport> {
  if (zoneOffset(o.timeZone) === undefined) throw new CliError(`${o.timeZone} is no time zone`);
  const problems: ConvertProblem[] = [];
  const all: SourceObject[] = [];
  for (const file of files) {
    const read = readSources(await readFile(file, o.seams), file === "-" ? "(standard input)" : file);
    problems.push(...read.problems);
    all.push(...read.objects);
  }
  const mine = all.filter((one) => one.kind === cronHpaKind && one.apiVersion.startsWith(`${cronHpaGroup}/`));
  if (mine.length === 0 && problems.length === 0)
    throw new CliError(`there is no ${cronHpaKind} in ${files.join(", ")}`);
  for (const source of mine) problems.push(...findingsOf(source, { all, ...o }).map(source.locate));
  return { objects: mine.length, problems };
}

function findingsOf(
  source: SourceObject,
  o: {
    readonly all: readonly SourceObject[];
    readonly timeZone: string;
    readonly seams: Pick<CliSeams, "nowMs">;
  },
): readonly Finding[] {
  const read = readCronHpa(source);
  if (!read.ok) return read.findings;
  const { object, namespace } = read;
  const compiled = compileCronHpa(object, { timeZone: o.timeZone, bounds: "Move" }, zoneOffset);
  const nowMs = o.seams.nowMs();
  return [
    ...read.findings,
    ...targetFindings(object, compiled, { namespace, all: o.all }),
    ...jobFindings(compiled, nowMs),
    ...sameInstants(compiled, nowMs),
    ...exclusionFindings(object, compiled, nowMs),
  ];
}

const mostRuns = 2000;

/** Jobs that want different sizes at the same instant. */
function sameInstants({ jobs, offset }: CompiledCronHpa, nowMs: number): readonly Finding[] {
  const at = new Map<number, number>();
  const findings: Finding[] = [];
  for (const [index, { plan, targetSize }] of jobs.entries()) {
    if (!plan.ok) continue;
    let clash: { readonly due: number; readonly other: number } | undefined;
    let due = nextFiring(plan.schedule, nowMs, offset);
    for (let run = 0; due !== undefined && run < mostRuns; run++) {
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

async function readFile(file: string, seams: Pick<CliSeams, "readText">): Promise<string> {
  try {
    return await seams.readText(file);
  } catch (error) {
    throw new CliError(`cannot read ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
