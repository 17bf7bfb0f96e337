// Converts all objects of some files, and collects what is wrong with them.
import type { Document } from "yaml";
import { readInput } from "../read-input.ts";
import { CliError, type CliSeams } from "../seams.ts";
import type { ConvertSettings } from "./converter.ts";
import { convertedKinds, converterOf } from "./kinds.ts";
import type { ConvertProblem } from "./problem.ts";
import { readSources, type SourceObject } from "./source.ts";

export interface ConvertReport {
  readonly documents: readonly Document[];
  readonly notes: readonly ConvertProblem[];
  readonly problems: readonly ConvertProblem[];
}

/** @throws CliError when a file cannot be read at all. */
export async function convertFiles(
  files: readonly string[],
  settings: ConvertSettings,
  seams: Pick<CliSeams, "readText">,
): Promise<ConvertReport> {
  const problems: ConvertProblem[] = [];
  const all: SourceObject[] = [];
  for (const file of files) {
    const read = readSources(await readInput(file, seams), nameOf(file));
    problems.push(...read.problems);
    all.push(...read.objects);
  }
  const documents: Document[] = [];
  const notes: ConvertProblem[] = [];
  let known = 0;
  for (const source of all) {
    const converter = converterOf(source);
    if (converter === undefined) {
      const value = `${source.kind} (${source.apiVersion})`;
      const message = `${value} is left out`;
      notes.push(source.locate({ path: "", message, remedy: `converted are ${convertedKinds()}` }));
      continue;
    }
    known++;
    const result = converter.convert(source, { settings, all });
    if (result.ok) {
      documents.push(...result.documents);
      notes.push(...result.notes.map(source.locate));
    } else problems.push(...result.problems.map(source.locate));
  }
  if (known === 0 && problems.length === 0) {
    throw new CliError(
      `there is nothing to convert in ${files.map(nameOf).join(", ")}: it takes ${convertedKinds()}`,
    );
  }
  return { documents, notes, problems: problems.toSorted(inOrder) };
}

function nameOf(file: string): string {
  return file === "-" ? "(standard input)" : file;
}

/** By document; files follow each other as they were read, because sorting is stable. */
function inOrder(one: ConvertProblem, other: ConvertProblem): number {
  return one.file === other.file ? one.line - other.line : 0;
}
