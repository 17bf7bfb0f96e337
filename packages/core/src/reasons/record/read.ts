// Checks the form of a record that came from elsewhere.
import { type Fields, isFields } from "../../values/fields.ts";
import { type AppliedDecision, type DecisionRecord, RecordError, recordApiVersion } from "./record.ts";

const modes: readonly DecisionRecord["mode"][] = ["Active", "Shadow", "Paused"];
const outcomes: readonly AppliedDecision["outcome"][] = [
  "nothing-to-do",
  "scaled",
  "scale-failed",
  "shadow",
  "withheld",
];

/** The same value, when it has the form of a record. @throws RecordError with the first path that does not fit. */
export function readRecord(value: unknown): DecisionRecord {
  const record = objectAt("", value);
  oneOf("apiVersion", record["apiVersion"], [recordApiVersion]);
  for (const key of ["coreVersion", "semantics", "at"]) stringAt(key, record[key]);
  oneOf("mode", record["mode"], modes);
  objectAt("input", record["input"]);
  if (record["memory"] !== undefined) objectAt("memory", record["memory"]);
  const result = objectAt("result", record["result"]);
  objectAt("result.decision", result["decision"]);
  objectAt("result.memory", result["memory"]);
  oneOf("applied.outcome", objectAt("applied", record["applied"])["outcome"], outcomes);
  return record as object as DecisionRecord;
}

function objectAt(path: string, value: unknown): Fields {
  if (isFields(value)) return value;
  throw new RecordError(path, "must be an object", value);
}

function stringAt(path: string, value: unknown): void {
  if (typeof value !== "string") throw new RecordError(path, "must be a string", value);
}

function oneOf(path: string, value: unknown, allowed: readonly string[]): void {
  if (typeof value === "string" && allowed.includes(value)) return;
  throw new RecordError(path, `must be ${allowed.length === 1 ? "" : "one of "}${allowed.join(", ")}`, value);
}
