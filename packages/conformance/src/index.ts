// The package's exports: the runner of vectors, for other implementations of the same decisions too.
export { checkVectorFile, type FileResult } from "./vectors/check-file.ts";
export type { Difference } from "./vectors/difference.ts";
export { findVectorFiles, runVectorFile, runVectors } from "./vectors/run.ts";
