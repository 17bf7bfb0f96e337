// Writes what a conversion gave: objects or files, and what is said of them.
import { printable } from "@plimsoll/component-base/text";
import { type ConvertReport, fileText } from "@plimsoll/migration/convert";
import { problemText } from "@plimsoll/migration/manifests";
import type { CliSeams, ExitCode } from "../../seams.ts";

/** Of a file of sources. */
const maxSources = 32;

export interface OutputFlags {
  readonly output: "yaml" | "json";
  readonly print: Printed;
  /** Write what has no problem. */
  readonly keepGoing?: boolean;
}

/** Returns the exit code. */
export function writeReport(report: ConvertReport, flags: OutputFlags, seams: CliSeams): ExitCode {
  const code = report.problems.length > 0 ? 1 : 0;
  const isRefused = code === 1 && flags.keepGoing !== true;
  if (flags.output === "json") {
    seams.writeOut(`${JSON.stringify(jsonReport(report, isRefused), undefined, 2)}\n`);
    return code;
  }
  writeFindings(report, flags.print, seams);
  if (isRefused) return code;
  writeFiles(report, flags.print, seams);
  seams.writeOut(printed(report, flags.print));
  return code;
}

type Printed = "objects" | "rules" | "sources";

/** Nothing of what was converted is in it when that is refused. */
function jsonReport({ documents, files, notes, problems }: ConvertReport, isRefused: boolean): object {
  return {
    schema: "plimsoll/convert/v1",
    objects: isRefused ? [] : documents.map((document): unknown => document.toJS()),
    rules: isRefused ? { externalRules: [] } : files.rules,
    sources: isRefused ? { sources: [] } : files.sources,
    notes,
    problems,
  };
}

function writeFindings({ notes, problems }: ConvertReport, what: Printed, seams: CliSeams): void {
  if (what === "objects") for (const note of notes) seams.writeError(`note: ${problemText(note)}\n`);
  for (const problem of problems) seams.writeError(`error: ${problemText(problem)}\n`);
}

/** What else metrics-adapter needs. */
function writeFiles({ files }: ConvertReport, what: Printed, seams: CliSeams): void {
  if (what !== "objects") return;
  const { length: rules } = files.rules.externalRules;
  const { length: sources } = files.sources.sources;
  if (rules > 0)
    seams.writeError(
      `note: ${rules === 1 ? "1 metric needs a rule" : `${rules} metrics need rules`} in metrics-adapter: --print rules writes them\n`,
    );
  if (files.onlyAddress !== undefined && sources === 0)
    seams.writeError(
      `note: the rules are for the Prometheus at ${printable(files.onlyAddress)}: it must be the --prometheus-url of metrics-adapter\n`,
    );
  if (sources > 0)
    seams.writeError(
      `note: ${sources === 1 ? "1 server is" : `${sources} servers are`} needed in --sources-config of metrics-adapter: --print sources writes them\n`,
    );
  if (sources > maxSources)
    seams.writeError(
      `note: --sources-config takes at most ${maxSources} servers: convert the objects in parts\n`,
    );
}

function printed({ documents, files }: ConvertReport, what: Printed): string {
  if (what === "rules") return fileText(files.rules);
  if (what === "sources") return fileText(files.sources);
  return documents.map((document) => document.toString({ lineWidth: 0 })).join("---\n");
}
