// One file: what it is, what its readers say, and what the validation of the API says.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { rulesIn } from "@plimsoll/cli";
import { convertHpa, defaultHpa, validateHpa } from "@plimsoll/core/api";
import { loadRules } from "@plimsoll/rules";
import { parseAllDocuments } from "yaml";
import { type Ending, runReader, type StartAdapter } from "./run-readers.ts";

/** Of files without these, doctor has nothing to say. */
const kinds = new Set(["HorizontalPodAutoscaler", "WorkloadAutoscaler"]);
const notServed = "is not served by any API server since 1.26";

export interface Checked {
  readonly file: string;
  readonly kind: "other files" | "manifests" | "rules files";
  /** Such as "doctor accepts". */
  readonly results: readonly string[];
  readonly findings: readonly Found[];
}

interface Found {
  readonly what: "CRASHES" | "DISAGREES";
  readonly text: string;
}

/** `startAdapter` absent: it is not started. */
export async function checkFile(
  dir: string,
  file: string,
  startAdapter: StartAdapter | undefined,
): Promise<Checked> {
  const path = join(dir, file);
  const text = readFileSync(path, "utf8");
  const objects = objectsIn(text);
  const rules = rulesIn(text, file) ?? (objects?.some(isRules) === true ? text : undefined);
  if (rules !== undefined) return await checkRules({ file, path, text: rules }, startAdapter);
  if (objects !== undefined && !objects.some((one) => "kind" in one))
    return { file, kind: "other files", results: [], findings: [] };
  const problem = objects === undefined ? "it is not YAML" : problemOf(objects);
  const isForDoctor = objects?.some(({ kind }) => kinds.has(String(kind))) !== false;
  return checked(file, "manifests", problem, {
    ...(isForDoctor ? { doctor: await runReader(["doctor", "-f", path]) } : {}),
    convert: await runReader(["convert", path]),
  });
}

async function checkRules(
  { file, path, text }: { readonly file: string; readonly path: string; readonly text: string },
  startAdapter: StartAdapter | undefined,
): Promise<Checked> {
  const loaded = loadRules(text, path);
  const problem = loaded.ok ? undefined : (loaded.problems[0]?.message ?? "it has a problem");
  const check = { "rules check": await runReader(["rules", "check", path, "-o", "json"]) };
  const ofCheck = checked(file, "rules files", problem, check);
  if (startAdapter === undefined) return ofCheck;
  // It starts with the rules that have no problem.
  const unstarted = !loaded.ok && loaded.rest !== undefined ? undefined : problem;
  const ofAdapter = checked(file, "rules files", unstarted, { "the adapter": await startAdapter(text) });
  return {
    ...ofCheck,
    results: [...ofCheck.results, ...ofAdapter.results],
    findings: [...ofCheck.findings, ...ofAdapter.findings],
  };
}

function checked(
  file: string,
  kind: Checked["kind"],
  problem: string | undefined,
  endings: Readonly<Record<string, Ending>>,
): Checked {
  const findings = Object.entries(endings).flatMap(([name, ending]): readonly Found[] => {
    if (ending.is === "crashes") return [{ what: "CRASHES", text: `${name}: ${ending.says}` }];
    // It also reads older versions, and refuses what has no form to be converted to.
    if (name === "convert" && (problem?.endsWith(notServed) ?? true)) return [];
    if (ending.is === "accepts" && problem !== undefined)
      return [{ what: "DISAGREES", text: `${name} accepts what the API refuses: ${problem}` }];
    if (ending.is === "refuses" && problem === undefined)
      return [{ what: "DISAGREES", text: `${name} refuses what the API takes: ${ending.says}` }];
    return [];
  });
  const results = Object.entries(endings).map(([name, { is }]) => `${name} ${is}`);
  return { file, kind, results, findings };
}

type Fields = Readonly<Record<string, unknown>>;

/** Undefined: it is not YAML. */
function objectsIn(text: string): readonly Fields[] | undefined {
  try {
    const documents = parseAllDocuments(text);
    if (!Array.isArray(documents) || documents.some(({ errors }) => errors.length > 0)) return undefined;
    return documents.map((one) => one.toJS() as unknown).filter(isFields);
  } catch {
    return undefined;
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isRules(value: Fields): boolean {
  return !("kind" in value) && ["rules", "externalRules", "resourceRules"].some((key) => key in value);
}

/** As kubectl sends it. */
function inNamespace(object: Fields): Fields {
  const { metadata } = object;
  return isFields(metadata) ? { ...object, metadata: { namespace: "default", ...metadata } } : object;
}

/** Of the first HorizontalPodAutoscaler that the API refuses. */
function problemOf(objects: readonly Fields[]): string | undefined {
  for (const object of objects.filter(({ kind }) => kind === "HorizontalPodAutoscaler")) {
    if (!["autoscaling/v1", "autoscaling/v2"].includes(String(object["apiVersion"])))
      return `${String(object["apiVersion"])} ${notServed}`;
    try {
      const stored = defaultHpa(convertHpa(inNamespace(object), "v2") as never);
      const [problem] = validateHpa(stored);
      if (problem !== undefined) return `${problem.path}: ${problem.message}`;
    } catch (error) {
      return (error as Error).message;
    }
  }
  return undefined;
}
