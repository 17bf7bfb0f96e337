// Chooses the check of a vector file by its kind.
import { checkVectorFile } from "../vectors/check-file.ts";
import { checkDecisions } from "./decision-check.ts";
import type { Check } from "./difference.ts";
import { checkRecordings } from "./record-check.ts";

/** Runs evaluated cases exactly as `npm run vectors` would; `decision` and `record` are kinds of the oracle's own. */
export const checkWithCore: Check = (file) => {
  if (file.kind === "decision") return checkDecisions(file);
  return file.kind === "record" ? checkRecordings(file) : checkVectorFile(file).differences;
};
