// Checks vectors of validation.
import { validateHpa } from "@plimsoll/core/api";
import { type CaseDifference, differ } from "../difference.ts";
import { fieldOf, readList, readObject } from "../read.ts";

export function checkValidation(given: unknown): readonly CaseDifference[] {
  const vector = readObject(given, "", ["name", "scaleToZero", "hpa", "expect"]);
  const expect = readObject(vector["expect"], "expect", ["valid", "fields"]);
  const problems = validateHpa(vector["hpa"], { scaleToZero: fieldOf(vector, "scaleToZero") === true });
  const fields = [...new Set(problems.map(({ path }) => path))].sort();
  const isValid = problems.length === 0;
  const differences: CaseDifference[] = [];
  if (fieldOf(expect, "valid") !== isValid)
    differences.push(differ("expect.valid", fieldOf(expect, "valid"), isValid));
  if (fieldOf(expect, "fields") !== undefined) {
    const expected = [...new Set(readList(expect, "fields", "expect").map(String))].sort();
    if (JSON.stringify(expected) !== JSON.stringify(fields))
      differences.push(differ("expect.fields", expected, fields));
  }
  return differences;
}
