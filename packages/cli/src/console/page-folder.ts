// Where the files of the page are: beside the packaged program, or in the clone, where they are built when absent.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
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

/** @throws CliError with the command that makes them. */
export async function findPage({ moduleUrl, env, signal, note }: PageSearch): Promise<string> {
  const packaged = fileURLToPath(new URL("console/", moduleUrl));
  if (isPage(packaged)) return packaged;
  // From packages/cli/src/console.
  const source = fileURLToPath(new URL("../../../console/", moduleUrl));
  const built = join(source, "dist");
  if (isPage(built)) return built;
  if (!existsSync(join(source, "vite.config.ts")))
    throw new CliError("this installation has no files of the page: install the package again");
  note("the page is built once, in packages/console/dist");
  try {
    const vite = createRequire(join(source, "package.json")).resolve("vite/package.json");
    const args = [join(dirname(vite), "bin", "vite.js"), "build", "--logLevel", "error"];
    await run(process.execPath, args, {
      cwd: source,
      signal,
      timeout: buildMs,
      env: { ...env, NODE_ENV: "production" },
    });
  } catch {
    signal.throwIfAborted();
    throw new CliError("the page cannot be built: run npm run build:console, which says why");
  }
  return built;
}

function isPage(folder: string): boolean {
  return existsSync(join(folder, "index.html"));
}
