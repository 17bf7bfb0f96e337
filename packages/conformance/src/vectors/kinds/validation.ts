// Vectors of validation.
import { validateHpa } from "@plimsoll/core/api";
import type { Fields } from "@plimsoll/core/internal/values";
import { type CaseDifference, differ } from "../difference.ts";
import { fieldOf, questionOf, readList, readObject } from "../read.ts";
import type { VectorKind } from "./kind.ts";

/** Answer: `fields`, the paths of all fields in error; none when the object is valid. */
export const validationKind: VectorKind = {
  question: (vector) => questionOf(vector, ["scaleToZero", "hpa"], ["name", "expect"]),
  answer: (question) => {
    const scaleToZero = fieldOf(question, "scaleToZero") === true;
    return { fields: validateHpa(question["hpa"], { scaleToZero }).map(({ path }) => path) };
  },
  compare,
};

function compare(vector: Fields, given: Fields): readonly CaseDifference[] {
  const expect = readObject(vector["expect"], "expect", ["valid", "fields"]);
  const actual = asSet(readList(given, "fields", "answer"));
  const isValid = actual.length === 0;
  const differences: CaseDifference[] = [];
  if (fieldOf(expect, "valid") !== isValid)
    differences.push(differ("expect.valid", fieldOf(expect, "valid"), isValid));
  if (fieldOf(expect, "fields") !== undefined) {
    const expected = asSet(readList(expect, "fields", "expect"));
    if (JSON.stringify(expected) !== JSON.stringify(actual))
      differences.push(differ("expect.fields", expected, actual));
  }
  return differences;
}

function asSet(paths: readonly unknown[]): readonly string[] {
  return [...new Set(paths.map(String))].sort();
}
