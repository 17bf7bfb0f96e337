// What the cluster looks like when the decision is made: pods, values and the recent past, from YAML.
import type { Remark } from "@plimsoll/core/internal/values";
import { type Section, sectionOf } from "@plimsoll/simulator";
import { type InputProblem, readYaml } from "./read-yaml.ts";

/** Pods that are alike. */
export interface PodGroup {
  readonly count: number;
  readonly ready: boolean;
  readonly phase: "Running" | "Pending" | "Failed";
  readonly deleting: boolean;
  readonly ageMs: number;
  /** Resource → quantity, of its one container. */
  readonly requests: Quantities;
  /** Absent: the metrics API has no sample of these pods. */
  readonly usage: Quantities;
  /** Pods metrics → quantity. */
  readonly values: Quantities;
}

type Quantities = Readonly<Record<string, string>>;

/** A change of the replicas, or a recommendation, and how long ago. */
export interface Past {
  readonly agoMs: number;
  readonly replicas: number;
}

export interface Situation {
  /** `spec.replicas` of the target. */
  readonly replicas: number;
  readonly pods: readonly PodGroup[];
  /** Object and External metrics → the values of their series. */
  readonly metrics: Readonly<Record<string, readonly string[]>>;
  readonly recommended: readonly Past[];
  readonly scaledUp: readonly Past[];
  readonly scaledDown: readonly Past[];
}

export type SituationRead =
  | { readonly ok: true; readonly situation: Situation }
  | { readonly ok: false; readonly problems: readonly InputProblem[] };

/** Of all groups together; each pod is a row of the result. */
export const maxPods = 500;
/** Entries of a list or a mapping. */
const maxEntries = 50;

export function readSituation(text: string): SituationRead {
  const read = readYaml(text);
  if (!read.ok) return { ok: false, problems: [read.problem] };
  const findings = { problems: [] as Remark[], assumptions: [] };
  const root = sectionOf(read.value ?? {}, "", findings);
  const situation: Situation = {
    replicas: root.count("replicas", { min: 0 }),
    pods: entries(root, "pods").map(readGroup),
    metrics: readMetrics(root.section("metrics")),
    recommended: entries(root, "recommended").map(readPast),
    scaledUp: entries(root, "scaledUp").map(readPast),
    scaledDown: entries(root, "scaledDown").map(readPast),
  };
  root.close();
  const pods = situation.pods.reduce((sum, { count }) => sum + count, 0);
  if (pods > maxPods) root.problem("pods", `are ${pods} pods`, `use ${maxPods} at most`);
  const problems = findings.problems.map(problemOf);
  return problems.length === 0 ? { ok: true, situation } : { ok: false, problems };
}

function problemOf({ path, value, message, remedy }: Remark): InputProblem {
  const shown = typeof value === "string" || typeof value === "number" ? `${value} ` : "";
  return { path, message: `${shown}${message}; ${remedy}` };
}

function entries(section: Section, key: string): readonly Section[] {
  const list = section.list(key);
  if (list.length > maxEntries)
    section.problem(key, `has ${list.length} entries`, `use ${maxEntries} at most`);
  return list
    .slice(0, maxEntries)
    .map((entry, index) => sectionOf(entry, `${key}[${index}]`, section.findings));
}

function readGroup(group: Section): PodGroup {
  const read = {
    count: group.count("count", { min: 0, max: maxPods, usual: 1 }),
    ready: group.choice("ready", ["true", "false"], "true") === "true",
    phase: group.choice("phase", ["Running", "Pending", "Failed"], "Running"),
    deleting: group.choice("deleting", ["true", "false"], "false") === "true",
    ageMs: group.duration("age", "1h"),
    requests: readQuantities(group.section("requests")),
    usage: readQuantities(group.section("usage")),
    values: readQuantities(group.section("values")),
  };
  group.close();
  return read;
}

function readQuantities(section: Section): Quantities {
  return Object.fromEntries(namesOf(section).map((name) => [name, quantityAt(section, name)]));
}

function readMetrics(section: Section): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    namesOf(section).map((name) => {
      const value = section.raw(name);
      if (!Array.isArray(value)) return [name, [quantityAt(section, name)]];
      const series = sectionOf(
        Object.fromEntries(value.slice(0, maxEntries).map((one, index) => [`${name}[${index}]`, one])),
        section.path,
        section.findings,
      );
      return [name, readSeries(series)];
    }),
  );
}

function readSeries(series: Section): readonly string[] {
  return namesOf(series).map((name) => quantityAt(series, name));
}

/** The text as it is written: "250m" stays so. */
function quantityAt(section: Section, name: string): string {
  section.quantity(name);
  const value = section.raw(name);
  return typeof value === "string" || typeof value === "number" ? String(value) : "0";
}

function namesOf(section: Section): readonly string[] {
  const names = section.names();
  if (names.length <= maxEntries) return names;
  section.findings.problems.push({
    path: section.path,
    message: `has ${names.length} entries`,
    remedy: `use ${maxEntries} at most`,
  });
  return names.slice(0, maxEntries);
}

function readPast(entry: Section): Past {
  const read = { agoMs: entry.duration("ago"), replicas: entry.count("replicas", { min: 0 }) };
  entry.close();
  return read;
}
