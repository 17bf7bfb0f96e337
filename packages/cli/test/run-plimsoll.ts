// The command in this process, with what it writes.
import { readFile } from "node:fs/promises";
import { runCli } from "../src/index.ts";
import type { CliSeams } from "../src/seams.ts";

export interface Seams extends Partial<CliSeams> {
  /** Gets what the command writes to the error output, when it does. */
  readonly onError?: (text: string) => void;
}

/** Runs the command. A test that injects nothing reads files from the disk, and its clock stands at 0. */
export async function plimsoll(args: readonly string[], { onError, ...seams }: Seams = {}) {
  let [out, err] = ["", ""];
  const code = await runCli({
    args,
    name: "plimsoll",
    version: "1.2.3",
    readText: (path) => readFile(path, "utf8"),
    writeOut: (part) => (out += part),
    writeError(part) {
      err += part;
      onError?.(part);
    },
    nowMs: () => 0,
    signal: new AbortController().signal,
    ...seams,
  });
  return { code, out, err };
}

/** For commands that read the cluster alone. */
export const noFiles: CliSeams["readText"] = () => Promise.reject(new Error("no file is read"));

/** Reads these files, and others from the disk. */
export const reading =
  (files: Readonly<Record<string, string>>): CliSeams["readText"] =>
  async (path) =>
    files[path] ?? readFile(path, "utf8");
