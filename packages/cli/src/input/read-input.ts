import { readFile } from "node:fs/promises";
import { addAbortSignal, type Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { fileErrorText } from "@plimsoll/component-base/process";
import type { NamedText } from "@plimsoll/migration/manifests";
import { CliError, type CliSeams } from "../seams.ts";

/** The text of a file that was named, or of the standard input for "-". @throws CliError */
export async function readInput(file: string, seams: Pick<CliSeams, "readText">): Promise<string> {
  try {
    return await seams.readText(file);
  } catch (error) {
    throw new CliError(`cannot read ${file}: ${fileErrorText(error, file)}`);
  }
}

/** How messages name a file, which is "-" for the standard input. */
export function shownFile(file: string): string {
  return file === "-" ? "(standard input)" : file;
}

/** The same of several files, with their names in messages. @throws CliError */
export async function* readInputs(
  files: readonly string[],
  seams: Pick<CliSeams, "readText">,
): AsyncGenerator<NamedText> {
  for (const file of files) yield { name: shownFile(file), text: await readInput(file, seams) };
}

/** Reads files, and the standard input for "-". The signal ends the wait for input that never comes. */
export function textReader(stdin: Readable, signal: AbortSignal): CliSeams["readText"] {
  return async (path) =>
    decode(path === "-" ? await buffer(addAbortSignal(signal, stdin)) : await readFile(path, { signal }));
}

/** UTF-8, or UTF-16 with its mark, as PowerShell writes what is redirected. */
function decode(bytes: Buffer): string {
  const mark = bytes.toString("hex", 0, 2);
  return new TextDecoder({ fffe: "utf-16le", feff: "utf-16be" }[mark] ?? "utf-8").decode(bytes);
}
