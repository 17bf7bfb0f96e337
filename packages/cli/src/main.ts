#!/usr/bin/env node
// The process `plimsoll`: gives the command what a process has.
import { basename } from "node:path";
import { createInterface } from "node:readline/promises";
import { isatty } from "node:tty";
import { isTaskThread } from "@plimsoll/component-base";
import { hideSecretsOfCrashes, packageVersion } from "@plimsoll/component-base/process";
import { textReader } from "./input/read-input.ts";
import { runCli } from "./program.ts";

hideSecretsOfCrashes();
const interrupted = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => interrupted.abort(new Error("interrupted")));
// The reader may have seen enough, as head has.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
});

// Messages that cannot be written change no result.
process.stderr.on("error", () => undefined);

// A function, because CommonJS, in which it is bundled, has no await of its own. In a bundle this is also the file of
// threads for simulations.
void (isTaskThread
  ? Promise.all([import("./threads/simulations.ts"), import("./commands/tune/threads.ts")])
  : main());

/** The output may go to a file, so the question goes to the error output. */
async function ask(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  // The terminal's Ctrl-C comes here, and not to the process.
  lines.once("SIGINT", () => interrupted.abort(new Error("interrupted")));
  try {
    return await lines.question(question, { signal: interrupted.signal });
  } finally {
    lines.close();
  }
}

async function main(): Promise<void> {
  process.exitCode = await runCli({
    args: process.argv.slice(2),
    // kubectl runs its plugins by their own name. A launcher passes that name with --title. Help shows what was typed.
    name: [basename(process.argv[1] ?? ""), process.title].some((name) => name.startsWith("kubectl-"))
      ? "kubectl plimsoll"
      : "plimsoll",
    version: await packageVersion(import.meta.url),
    runtime: `node ${process.versions.node} ${process.platform} ${process.arch}`,
    readText: textReader(process.stdin, interrupted.signal),
    writeOut: (part) => void process.stdout.write(part),
    writeError: (part) => void process.stderr.write(part),
    nowMs: () => Date.now(),
    signal: interrupted.signal,
    ...(process.stdin.isTTY ? { ask } : {}),
    env: process.env,
    terminal: {
      isTty: process.stdout.isTTY,
      isErrorTty: isatty(process.stderr.fd),
      // A window may change its size while it is shown.
      get columns() {
        return process.stdout.columns;
      },
      get rows() {
        return process.stdout.rows;
      },
      isUtf8: showsUtf8(process.env, process.platform),
    },
  });

  // A connection may still be opening, or a plugin that gives credentials still run, and a shell waits.
  if (interrupted.signal.aborted || process.argv[2]?.startsWith("__complete") === true) process.exit();
}

/** Whether the terminal shows more than ASCII, by the locale of POSIX; a Windows terminal does. */
function showsUtf8(env: Readonly<Record<string, string | undefined>>, platform: string): boolean {
  if (platform === "win32") return true;
  const locale = env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"] || "";
  return /utf-?8/i.test(locale);
}
