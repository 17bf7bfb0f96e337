// The public runner of vectors.
// The runner of vectors, for whoever implements the same decisions.
export { checkVectorFile, type FileResult } from "./vectors/check-file.ts";
export type { Difference } from "./vectors/difference.ts";
export { findVectorFiles, runVectorFile, runVectors } from "./vectors/run.ts";
