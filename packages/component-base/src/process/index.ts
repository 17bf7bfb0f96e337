// Process helpers that every program shares: crashes, signals, file errors, suggestions for flags, the version, files that are replaced whole.
import { setFlagsFromString } from "node:v8";

export { type ConnectionLimit, peerOf } from "./connection-limit.ts";
export { flagSuggestion } from "./flag-suggestion.ts";
export { hideSecretsOfCrashes, packageVersion, stopSignal } from "./program.ts";
export { type FileMode, openReplacement, type Replacement, replaceFile } from "./replace-file.ts";
export { limitConnections, localLimits, type ServerLimits, serverOptions } from "./server-limits.ts";
export { suggest } from "./suggest.ts";

const sentences: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "file not found; check the path"],
  ["ENOTDIR", "part of the path is a file; check the path"],
  ["EISDIR", "it is a directory; use a file in it"],
  ["EACCES", "access is denied; check its owner and mode"],
  ["EPERM", "access is denied; check its owner and mode"],
  ["EMFILE", "too many files are open; raise the limit"],
]);

/**
 * Why a file could not be read or written, in words; other errors have their own message.
 * @param shownPath the path that the reader knows from what stands before; another one is named.
 */
export function fileErrorText(error: unknown, shownPath?: string): string {
  const sentence = sentenceOf(error);
  const path =
    error instanceof Error && "path" in error && typeof error.path === "string" ? error.path : undefined;
  return path === undefined || path === shownPath ? sentence : `${path}: ${sentence}`;
}

function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  return sentences.get(code) ?? error.message;
}

/**
 * Keeps the heap of a process small; to be called before anything else. Its old part is collected when it has grown by so many
 * percent. And objects begin in the young part: V8 would create those of a kind that lived long at the start, while lists came
 * in and responses were late, in the old part from then on.
 */
export function keepHeapSmall(growthPercent: number): void {
  setFlagsFromString(`--heap-growing-percent=${String(growthPercent)}`);
  setFlagsFromString("--no-allocation-site-pretenuring");
}
