// Where the files of the page are: beside the packaged program, or in the clone, where they are built from its sources.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { CliError, type CliSeams } from "../seams.ts";

const run = promisify(execFile);
const buildMs = 120_000;

export interface PageSearch {
  /** The program's own address: a file of the bundle, or this module in a clone. */
  readonly moduleUrl: string;
  readonly env: CliSeams["env"];
  readonly signal: AbortSignal;
  readonly note: (text: string) => void;
}

/** In a clone the page is built when its sources changed since it was. @throws CliError with the command that builds it */
export async function findPage({ moduleUrl, env, signal, note }: PageSearch): Promise<string> {
  const packaged = fileURLToPath(new URL("console/", moduleUrl));
  if (existsSync(join(packaged, "index.html"))) return packaged;
  // From packages/cli/src/console.
  const source = fileURLToPath(new URL("../../../console/", moduleUrl));
  const build = join(source, "build", "main.ts");
  if (!existsSync(build))
    throw new CliError("this installation has no files of the page: install the package again");
  try {
    const { stdout } = await run(process.execPath, [build], {
      signal,
      timeout: buildMs,
      env: { ...env },
    });
    for (const line of stdout.split("\n")) if (line !== "") note(line);
  } catch {
    signal.throwIfAborted();
    throw new CliError("the page cannot be built: run npm run build:console, which says why");
  }
  return join(source, "dist");
}
