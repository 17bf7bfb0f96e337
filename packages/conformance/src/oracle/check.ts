import { checkVectorFile } from "../vectors/check-file.ts";
import type { Check } from "./difference.ts";

/** Runs answered cases exactly as `npm run vectors` would. */
export const checkWithCore: Check = (file) => checkVectorFile(file).differences;
