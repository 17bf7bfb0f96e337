// Changes fields of a record, as --set says.
import { suggest } from "@plimsoll/component-base/process";
import {
  checkedDecideInput,
  DecideInputError,
  type DecisionRecord,
  type SemanticsProfile,
} from "@plimsoll/core";
import { ConversionError, convertHpa, problemsText, validateHpa } from "@plimsoll/core/api";
import { parse } from "yaml";
import { CliError } from "../../seams.ts";

/** What --set and --semantics ask for. */
export interface Changes {
  readonly fields: readonly FieldChange[];
  readonly semantics: SemanticsProfile | undefined;
}

/** One --set, with its value as YAML reads it; null removes the field. */
export interface FieldChange {
  /** As it was typed. */
  readonly text: string;
  readonly path: readonly (string | number)[];
  readonly value: unknown;
}

/** Where the first word of a path is in a record. */
const roots: Readonly<Record<string, readonly string[]>> = {
  spec: ["input", "hpa", "spec"],
  status: ["input", "hpa", "status"],
  options: ["input", "options"],
  scale: ["input", "scale"],
  pods: ["input", "pods"],
  samples: ["input", "samples"],
  ambiguousWith: ["input", "ambiguousWith"],
  failurePolicies: ["input", "failurePolicies"],
  schedules: ["input", "schedules"],
  mode: ["input", "mode"],
  nowMs: ["input", "nowMs"],
  memory: ["memory"],
};

const specFields =
  "minReplicas maxReplicas metrics behavior scaleTargetRef scaleUp scaleDown stabilizationWindowSeconds " +
  "selectPolicy policies tolerance type value periodSeconds resource containerResource pods object external name " +
  "container target averageValue averageUtilization metric selector describedObject";

/** Reads "spec.maxReplicas=60". @throws CliError */
export function readChange(text: string): FieldChange {
  const at = text.indexOf("=");
  const written = at < 0 ? text : text.slice(0, at);
  const path = pathOf(written);
  const [root] = path ?? [];
  if (at < 1 || path === undefined)
    throw new CliError(`--set ${text}: use FIELD=VALUE, such as spec.maxReplicas=60`);
  if (typeof root !== "string" || !Object.hasOwn(roots, root)) {
    const meant = suggest(String(root), Object.keys(roots));
    const hint =
      meant === undefined ? `begin with one of ${Object.keys(roots).join(", ")}` : `did you mean ${meant}?`;
    throw new CliError(`--set ${text}: a record has no ${String(root)}: ${hint}`);
  }
  try {
    return { text, path, value: parse(text.slice(at + 1)) as unknown };
  } catch {
    throw new CliError(`--set ${text}: the value is not YAML`);
  }
}

/** "spec.metrics[0].resource" as its steps; undefined for what is not a path. */
function pathOf(text: string): readonly (string | number)[] | undefined {
  if (!/^[A-Za-z]\w*(?:\[\d+\]|\.[^.[\]=]+)*$/.test(text)) return undefined;
  return [...text.matchAll(/[^.[\]]+|\[(\d+)\]/g)].map(([step, index]) =>
    index === undefined ? step : Number(index),
  );
}

/** The record with these fields changed, the result as it was. @throws CliError for fields that there are not */
export function withChanges(record: DecisionRecord, { fields, semantics }: Changes): DecisionRecord {
  let changed: unknown = record;
  for (const field of fields) {
    const [root = "", ...rest] = field.path;
    changed = changedAt(changed, [...(roots[String(root)] ?? []), ...rest], field);
  }
  const { input, ...others } = changed as DecisionRecord;
  const options = semantics === undefined ? input.options : { ...input.options, semantics };
  const whole = { ...others, input: { ...input, ...(options === undefined ? {} : { options }) } };
  checkSpec(record, whole, fields);
  try {
    checkedDecideInput(whole.input);
  } catch (error) {
    if (!(error instanceof DecideInputError)) throw error;
    throw new CliError(error.message);
  }
  return semantics === undefined ? whole : { ...whole, semantics };
}

function changedAt(value: unknown, path: readonly (string | number)[], field: FieldChange): unknown {
  const [step, ...rest] = path;
  if (step === undefined)
    return typeof value === "string" && isScalar(field.value) ? String(field.value) : field.value;
  return typeof step === "number"
    ? changedItem(value, [step, ...rest], field)
    : changedField(value, [step, ...rest], field);
}

function changedItem(
  value: unknown,
  [step, ...rest]: readonly [number, ...(string | number)[]],
  field: FieldChange,
): unknown {
  if (Array.isArray(value) && step < value.length)
    return value.with(step, changedAt(value[step], rest, field));
  const has = Array.isArray(value) ? `has ${value.length}` : "is not a list";
  throw new CliError(`--set ${field.text}: there is no [${step}]: the list ${has}`);
}

function changedField(
  value: unknown,
  [step, ...rest]: readonly [string, ...(string | number)[]],
  field: FieldChange,
): unknown {
  if (Array.isArray(value)) throw new CliError(`--set ${field.text}: ${step} is within a list`);
  if (typeof (value ?? {}) !== "object") throw new CliError(`--set ${field.text}: ${step} is within a value`);
  const object = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (rest.length === 0 && field.value === null) return { ...object, [step]: undefined };
  const inner = Object.hasOwn(object, step) ? object[step] : undefined;
  return { ...object, [step]: changedAt(quantity(step, inner, field), rest, field) };
}

/** These are quantities, which are strings: 30 is written as "30". */
function quantity(step: string, value: unknown, { path }: FieldChange): unknown {
  const isQuantity = path[0] === "spec" && (step === "averageValue" || step === "tolerance");
  return value === undefined && isQuantity ? "" : value;
}

function isScalar(value: unknown): boolean {
  return typeof value === "number" || typeof value === "boolean";
}

/** A misspelled field would change nothing, and a value that the API refuses could never be. */
function checkSpec(before: DecisionRecord, { input }: DecisionRecord, fields: readonly FieldChange[]): void {
  const own = fields.filter(({ path }) => path[0] === "spec");
  if (own.length === 0) return;
  const hpa = { ...input.hpa, apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler" };
  for (const { text, path, value } of own) {
    if (value === null || valueAt(known(hpa, text), path) !== undefined) continue;
    const meant = suggest(String(path.at(-1)), specFields.split(" "));
    throw new CliError(
      `--set ${text}: there is no such field${meant === undefined ? "" : `; did you mean ${meant}?`}`,
    );
  }
  const was = new Set(validateHpa(before.input.hpa).map((problem) => JSON.stringify(problem)));
  const problems = validateHpa(hpa).filter(
    (problem) => problem.path.startsWith("spec") && !was.has(JSON.stringify(problem)),
  );
  if (problems.length > 0)
    throw new CliError(`--set: the API server would reject this: ${problemsText(problems)}`);
}

function known(hpa: object, text: string): unknown {
  try {
    return convertHpa(hpa, "autoscaling/v2");
  } catch (error) {
    if (!(error instanceof ConversionError)) throw error;
    throw new CliError(`--set ${text}: ${error.message}`);
  }
}

function valueAt(value: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (inner, step) =>
      typeof inner === "object" && inner !== null && Object.hasOwn(inner, step)
        ? (inner as Readonly<Record<string | number, unknown>>)[step]
        : undefined,
    value,
  );
}
