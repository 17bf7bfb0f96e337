// Writes generated files, or says which of them are old.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { readCommandLine } from "./command-line.ts";
import { root } from "./files.ts";

/** Whether the files are only to be checked; reads the command line of a script that writes `what`. */
export function readIsCheck(what: string): boolean {
  const script = basename(process.argv[1] ?? "");
  const { values } = readCommandLine(
    `node scripts/${script} [--check]\n\nWrites ${what}; with --check, names what is old and fails.`,
    { check: { type: "boolean", default: false } },
  );
  return values.check;
}

/** Writes files, by path below the root; with --check, names those that are not what `source` says, and fails. */
export function generate(files: Readonly<Record<string, string>>, source: string): void {
  const isCheck = readIsCheck(Object.keys(files).join(", "));
  for (const [path, text] of Object.entries(files)) {
    const file = join(root, path);
    if (!isCheck) {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    } else if (read(file) !== text) {
      reportOld(path, source);
    }
  }
}

/** Makes the process fail. */
export function reportOld(path: string, source: string): void {
  console.log(`${path} is not what ${source} says: run npm run generate`);
  process.exitCode = 1;
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
