import type { FileSources } from "./scenario-file.ts";

/** What a load is read with: where its times begin, and the files that it names. */
export interface LoadContext {
  readonly startMs: number;
  readonly sources: FileSources;
}
