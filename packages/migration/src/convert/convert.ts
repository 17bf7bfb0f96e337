// Converts all objects of some files, and collects what is wrong with them.
import { type Fields, fieldsOf, isFields, type Remark } from "@plimsoll/core/internal/values";
import { type Document, isMap } from "yaml";
import { successorOf } from "../manifests/hpa-bounds.ts";
import { templateProblem } from "../manifests/parse.ts";
import type { ConvertProblem } from "../manifests/problem.ts";
import { type NamedText, readSources, type SourceObject } from "../manifests/source.ts";
import type { ConvertSettings } from "./converter.ts";
import { type ConvertedObject, keptApart } from "./kept-apart.ts";
import { convertedKinds, converterOf, remedyOf } from "./kinds.ts";
import { namedApart } from "./metric-rules/named-apart.ts";
import { metricRulesOf, type NeededBy } from "./metric-rules/of-objects.ts";
import { type ConvertedFile, isRulesFile, metricRulesOfFile } from "./metric-rules/of-rules-file.ts";
import type { NeededRule } from "./needed-rule.ts";
import { type AdapterFiles, adapterFiles } from "./rules-file.ts";

export interface ConvertReport {
  readonly documents: readonly Document[];
  /** What metrics-adapter needs for the metrics of the documents. */
  readonly files: AdapterFiles;
  readonly notes: readonly ConvertProblem[];
  readonly problems: readonly ConvertProblem[];
}

/** Of one file: some ten thousand objects. */
const maxText = 32 * 1024 * 1024;

/** Why no file is converted. */
interface Refused {
  readonly ok: false;
  readonly message: string;
}

/** Reads one text at a time. */
export async function convertTexts(
  texts: AsyncIterable<NamedText>,
  settings: ConvertSettings,
): Promise<({ readonly ok: true } & ConvertReport) | Refused> {
  const read = await readTexts(texts, settings);
  if (!read.ok) return read;
  const { documents, notes, problems, needed, known } = convertObjects(read.objects, settings);
  if (
    known === 0 &&
    read.documents.length + read.notes.length + read.problems.length + problems.length === 0
  ) {
    return refused(`nothing to convert in ${read.names.join(", ")}: convert accepts ${convertedKinds()}`);
  }
  const all = adapterFiles(needed.map(({ rule }) => rule));
  const { metricRules } = settings;
  const own =
    metricRules === undefined
      ? { documents: [], problems: [] }
      : metricRulesOf(needed, metricRules, all.sourceOf);
  return {
    ok: true,
    documents: [...documents, ...namedApart([...own.documents, ...read.documents])],
    files: metricRules === undefined ? all : { ...all, rules: { externalRules: [] } },
    notes: [...notes, ...read.notes],
    problems: [...read.problems, ...problems, ...own.problems].toSorted(inOrder),
  };
}

function refused(message: string): Refused {
  return { ok: false, message };
}

interface ReadTexts extends ConvertedFile {
  readonly ok: true;
  readonly names: readonly string[];
  readonly objects: readonly SourceObject[];
}

async function readTexts(
  texts: AsyncIterable<NamedText>,
  { metricRules }: ConvertSettings,
): Promise<ReadTexts | Refused> {
  const names: string[] = [];
  const objects: SourceObject[] = [];
  const [documents, notes, problems]: [Document[], ConvertProblem[], ConvertProblem[]] = [[], [], []];
  for await (const { name, text } of texts) {
    names.push(name);
    if (text.length > maxText)
      return refused(`${name} has more than ${maxText} characters: split it into several files`);
    if (isRulesFile(text) && templateProblem(text, name) === undefined) {
      const rules = rulesFileSettings(name, metricRules);
      if (!rules.ok) return rules;
      const converted = await metricRulesOfFile(text, name, rules);
      documents.push(...converted.documents);
      notes.push(...converted.notes);
      problems.push(...converted.problems);
      continue;
    }
    const read = readSources(text, name);
    problems.push(...read.problems);
    objects.push(...read.objects);
  }
  return { ok: true, names, objects, documents, notes, problems };
}

function rulesFileSettings(file: string, settings: ConvertSettings["metricRules"]) {
  if (settings === undefined)
    return refused(
      `${file} is a rules file of prometheus-adapter, which metrics-adapter reads unchanged; use --to metric-rules to convert it to MetricRules`,
    );
  const { namespace } = settings;
  if (namespace === undefined)
    return refused(
      `${file} applies to all namespaces: set the namespace of the MetricRules with --namespace`,
    );
  return { ok: true as const, ...settings, namespace };
}

interface ConvertedObjects extends Pick<ConvertReport, "documents" | "notes" | "problems"> {
  readonly needed: readonly NeededBy[];
  /** Objects of a kind that is converted. */
  readonly known: number;
}

function convertObjects(all: readonly SourceObject[], settings: ConvertSettings): ConvertedObjects {
  const documents: Document[] = [];
  const notes: ConvertProblem[] = [];
  const problems: ConvertProblem[] = [];
  const needed: NeededBy[] = [];
  const metrics = new Set<string>();
  let known = 0;
  const converted: ConvertedObject[] = [];
  // Before the first is converted: objects are compared by their targets.
  for (const source of all) if (converterOf(source) !== undefined) notes.push(...servedVersions(source));
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
    converted.push({ source, ...result });
  }
  const apart = keptApart(converted);
  problems.push(...apart.problems);
  for (const { source, documents: own, notes: said, rules = [] } of apart.kept) {
    documents.push(...own);
    notes.push(...said.map(source.locate));
    for (const rule of rules) {
      if (metrics.has(rule.metric)) problems.push(source.locate(doubled(rule)));
      metrics.add(rule.metric);
      needed.push({ rule, source });
    }
  }
  return { documents, notes, problems, needed, known };
}

/** Writes the target, and the objects of metrics, in the versions that took the place of former ones. */
function servedVersions({ value, node, locate }: SourceObject): readonly ConvertProblem[] {
  const { metrics } = fieldsOf(value["spec"]);
  const objects = (Array.isArray(metrics) ? metrics : []).flatMap((_, index) =>
    // The second is that of autoscaling/v2beta1.
    ["describedObject", "target"].map((field) => ["spec", "metrics", index, "object", field]),
  );
  return [["spec", "scaleTargetRef"], ...objects].flatMap((keys) => {
    const reference = keys.reduce<unknown>((at, key) => (at as Fields | undefined)?.[key], value);
    const { apiVersion, kind } = fieldsOf(reference);
    const [, served, since] = successorOf(apiVersion, kind) ?? [];
    if (served === undefined || !isFields(reference)) return [];
    Object.assign(reference, { apiVersion: served });
    const place = [...keys, "apiVersion"];
    if (isMap(node) && node.hasIn(place)) node.setIn(place, served);
    const path = place.join(".").replace(/\.(\d+)/, "[$1]");
    const message = `is written as ${served}: no server has served it since Kubernetes ${since}`;
    return [locate({ path, value: apiVersion, message, remedy: "correct it in your files, too" })];
  });
}

/** YAML reads a namespace `n` or `123` as something else, and so does kubectl. */
function notTextIn({ value }: SourceObject): readonly Remark[] {
  const metadata = fieldsOf(value["metadata"]);
  return ["name", "namespace"].flatMap((field) => {
    const found = metadata[field] ?? "";
    if (typeof found === "string") return [];
    const remedy = "put it in quotation marks";
    return [{ path: `metadata.${field}`, value: found, message: "is not a string", remedy }];
  });
}

function leftOut(source: SourceObject): Remark {
  const message = `${source.kind} (${source.apiVersion}) is left out`;
  return { path: "", message, remedy: remedyOf(source) ?? `convert accepts ${convertedKinds()}` };
}

/** Metrics of rules are the same in all namespaces. */
function doubled({ metric }: NeededRule): Remark {
  const message = `defines the metric ${JSON.stringify(metric)}, which another object also defines`;
  return { path: "metadata", message, remedy: "set the namespaces of both, or use another name" };
}

/** By document; files follow each other as they were read, because sorting is stable. */
function inOrder(one: ConvertProblem, other: ConvertProblem): number {
  return one.file === other.file ? one.line - other.line : 0;
}
