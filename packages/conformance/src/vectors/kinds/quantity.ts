// Vectors of quantities.
import type { Fields } from "@plimsoll/core/internal/values";
import { formatQuantity, milliValue, parseQuantity, QuantityError, value } from "@plimsoll/core/quantity";
import { differ } from "../difference.ts";
import { fieldOf, optionalText, questionOf, readText } from "../read.ts";
import type { VectorKind } from "./kind.ts";

const results = ["canonical", "milli", "value"];

/** Answer: `canonical`, `milli` and `value` as text, or `error`. */
export const quantityKind: VectorKind = {
  question: (vector) => questionOf(vector, ["input"], ["name", "error", ...results]),
  answer: (question) => {
    try {
      const parsed = parseQuantity(readText(question, "input", ""));
      return {
        canonical: formatQuantity(parsed),
        milli: String(milliValue(parsed)),
        value: String(value(parsed)),
      };
    } catch (error) {
      if (error instanceof QuantityError) return { error: error.message };
      throw error;
    }
  },
  compare: (vector, answer) => {
    const expectsError = fieldOf(vector, "error") === true;
    const isError = fieldOf(answer, "error") !== undefined;
    if (expectsError !== isError)
      return [differ("error", expectsError || undefined, isError ? answer["error"] : undefined)];
    return isError ? [] : results.flatMap((key) => compareText(vector, answer, key));
  },
};

function compareText(vector: Fields, answer: Fields, key: string) {
  const expected = optionalText(vector, key, "");
  const actual = fieldOf(answer, key);
  return expected === undefined || expected === actual ? [] : [differ(key, expected, actual)];
}
