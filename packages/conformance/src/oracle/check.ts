import { checkVectorFile } from "../vectors/check-file.ts";
import { checkDecisions } from "./decision-check.ts";
import type { Check } from "./difference.ts";

/** Runs answered cases exactly as `npm run vectors` would; `decision` is a kind of the oracle's own. */
export const checkWithCore: Check = (file) =>
  file.kind === "decision" ? checkDecisions(file) : checkVectorFile(file).differences;
