// Reads metric samples of a vector.
import { isFields } from "@plimsoll/core/internal/values";
import { readObject, VectorError } from "./read.ts";

/** Refuses fields that no sample has; their values are the core's business. */
export function checkSamples(given: unknown, path: string): void {
  const samples = readObject(given, path, ["error", "pods", "value", "values", "timestamp"]);
  checkItems(samples["pods"], `${path}.pods`, ["name", "timestamp", "windowSeconds", "containers", "value"]);
  checkItems(samples["values"], `${path}.values`, ["value", "timestamp"]);
}

function checkItems(given: unknown, path: string, fields: readonly string[]): void {
  if (given === undefined || given === null) return;
  if (!Array.isArray(given)) throw new VectorError(path, "is not a list");
  given.forEach((item: unknown, i) => {
    if (isFields(item)) readObject(item, `${path}[${i}]`, fields);
    else throw new VectorError(`${path}[${i}]`, "is not an object");
  });
}
