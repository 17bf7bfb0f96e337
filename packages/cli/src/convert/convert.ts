// Converts all objects of some files, and collects what is wrong with them.
import type { Document } from "yaml";
import { readInput } from "../read-input.ts";
import { CliError, type CliSeams } from "../seams.ts";
import type { ConvertSettings } from "./converter.ts";
import { convertedKinds, converterOf, remedyOf } from "./kinds.ts";
import type { NeededRule } from "./needed-rule.ts";
import type { ConvertProblem } from "./problem.ts";
import { type AdapterFiles, adapterFiles } from "./rules-file.ts";
import { type Finding, jsonOf, readSources, type SourceObject } from "./source.ts";

export interface ConvertReport {
  readonly documents: readonly Document[];
  /** What metrics-adapter needs for the metrics of the documents. */
  readonly files: AdapterFiles;
  readonly notes: readonly ConvertProblem[];
  readonly problems: readonly ConvertProblem[];
}

/** Of one file: some ten thousand objects. */
const maxText = 32 * 1024 * 1024;

/** @throws CliError when a file cannot be read at all. */
export async function convertFiles(
  files: readonly string[],
  settings: ConvertSettings,
  seams: Pick<CliSeams, "readText">,
): Promise<ConvertReport> {
  const problems: ConvertProblem[] = [];
  const all: SourceObject[] = [];
  for (const file of files) {
    const text = await readInput(file, seams);
    if (text.length > maxText)
      throw new CliError(`${nameOf(file)} has more than ${maxText} characters: divide it into several files`);
    const read = readSources(text, nameOf(file));
    problems.push(...read.problems);
    all.push(...read.objects);
  }
  const documents: Document[] = [];
  const notes: ConvertProblem[] = [];
  const rules: NeededRule[] = [];
  const metrics = new Set<string>();
  let known = 0;
  for (const source of all) {
    const converter = converterOf(source);
    if (converter === undefined) {
      notes.push(source.locate(leftOut(source)));
      continue;
    }
    known++;
    const notText = notTextIn(source);
    if (notText.length > 0) {
      problems.push(...notText.map(source.locate));
      continue;
    }
    const result = converter.convert(source, { settings, all });
    if (!result.ok) {
      problems.push(...result.problems.map(source.locate));
      continue;
    }
    documents.push(...result.documents);
    notes.push(...result.notes.map(source.locate));
    for (const rule of result.rules ?? []) {
      if (metrics.has(rule.metric)) problems.push(source.locate(doubled(rule)));
      metrics.add(rule.metric);
      rules.push(rule);
    }
  }
  if (known === 0 && problems.length === 0) {
    throw new CliError(
      `there is nothing to convert in ${files.map(nameOf).join(", ")}: it takes ${convertedKinds()}`,
    );
  }
  return { documents, files: adapterFiles(rules), notes, problems: problems.toSorted(inOrder) };
}

/** YAML reads a namespace `n` or `123` as something else, and so does kubectl. */
function notTextIn({ value }: SourceObject): readonly Finding[] {
  const metadata = jsonOf(value["metadata"]);
  return ["name", "namespace"].flatMap((field) => {
    const found = metadata[field] ?? "";
    if (typeof found === "string") return [];
    const remedy = "write it in quotation marks";
    return [{ path: `metadata.${field}`, value: found, message: "is no text", remedy }];
  });
}

function leftOut(source: SourceObject): Finding {
  const message = `${source.kind} (${source.apiVersion}) is left out`;
  return { path: "", message, remedy: remedyOf(source) ?? `converted are ${convertedKinds()}` };
}

/** Metrics of rules are the same in all namespaces. */
function doubled({ metric }: NeededRule): Finding {
  const message = `gives the metric ${JSON.stringify(metric)}, as another object does`;
  return { path: "metadata", message, remedy: "write the namespaces of both, or another name" };
}

function nameOf(file: string): string {
  return file === "-" ? "(standard input)" : file;
}

/** By document; files follow each other as they were read, because sorting is stable. */
function inOrder(one: ConvertProblem, other: ConvertProblem): number {
  return one.file === other.file ? one.line - other.line : 0;
}
