// Checks vectors of quantities.
import { formatQuantity, milliValue, parseQuantity, QuantityError, value } from "@plimsoll/core/quantity";
import { type CaseDifference, differ } from "../difference.ts";
import { fieldOf, type Json, optionalText, readObject, readText } from "../read.ts";

export function checkQuantity(given: unknown): readonly CaseDifference[] {
  const vector = readObject(given, "", ["name", "input", "canonical", "milli", "value", "error"]);
  const isError = fieldOf(vector, "error") === true;
  const parsed = parse(readText(vector, "input", ""));
  if (parsed === undefined) return isError ? [] : [differ("error", undefined, true)];
  if (isError) return [differ("error", true, undefined)];
  const results: Json = {
    canonical: formatQuantity(parsed),
    milli: String(milliValue(parsed)),
    value: String(value(parsed)),
  };
  return Object.entries(results).flatMap(([key, result]) => {
    const expected = optionalText(vector, key, "");
    return expected === undefined || expected === result ? [] : [differ(key, expected, result)];
  });
}

function parse(text: string) {
  try {
    return parseQuantity(text);
  } catch (error) {
    if (error instanceof QuantityError) return undefined;
    throw error;
  }
}
