const sentences: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "there is no such file; check the path"],
  ["ENOTDIR", "a part of the path is a file; check the path"],
  ["EISDIR", "it is a directory; name a file in it"],
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
