// Serves the page until it is interrupted, or no browser has looked at it for a while.
import { execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { messageOf } from "@plimsoll/component-base";
import { type PageFiles, readPageFiles } from "@plimsoll/component-base/page";
import { printable } from "@plimsoll/component-base/text";
import { redact } from "@plimsoll/core/redact";
import type { Cluster } from "../../cluster/cluster.ts";
import { countFlag, durationFlag } from "../../cluster/flags.ts";
import { CliError, type CliSeams, clockOf, type ExitCode } from "../../seams.ts";
import type { ConsoleFlags } from "./flags.ts";
import { openData } from "./open-data.ts";
import { failureOf } from "./server/failure-of.ts";
import { startServer } from "./server/server.ts";

/** @throws CliError */
export async function serveConsole(
  cluster: Cluster,
  flags: ConsoleFlags,
  seams: CliSeams,
): Promise<ExitCode> {
  const port = countFlag("--port", flags.port, { min: 0, max: 65_535 });
  const idleMs = flags.idle === "0" ? 0 : durationFlag("--idle", flags.idle, 1_000);
  const data = await openData(cluster, flags, seams);
  const files = readFiles(cluster, seams);
  files.catch(() => undefined);
  const write = (text: string): void => seams.writeOut(`${text}\n`);
  const ended = Promise.withResolvers<ExitCode>();
  const server = await startServer({
    ...data,
    port,
    clock: clockOf(seams),
    idleMs,
    files,
    failureOf: failureOf(cluster, (error) =>
      seams.writeError(`error: ${printable(redact(messageOf(error)))}\n`),
    ),
    onIdle() {
      write(`No page was open for ${flags.idle}: stopping the console.`);
      ended.resolve(0);
    },
    onSlow: cluster.note,
    onOpened: () => write(`Opened. For another browser: ${address()}`),
  });
  const query = flags.namespace === undefined ? "" : `?ns=${encodeURIComponent(flags.namespace)}`;
  const address = (): string =>
    `http://127.0.0.1:${server.port}/console/${query}#code=${server.session.code()}`;
  seams.signal.addEventListener("abort", () => ended.resolve(130), { once: true });
  if (seams.signal.aborted) ended.resolve(130);
  try {
    write(`Console: ${address()}`);
    write("The address works in one browser only. Stop with Ctrl-C.");
    // On a host that is reached by SSH the code would stand in a command line for nothing.
    const opens = flags.open && seams.env?.["SSH_CONNECTION"] === undefined;
    const open = async (): Promise<void> => {
      await files;
      if (opens) (seams.openBrowser ?? openBrowser)(address());
    };
    open().catch(ended.reject);
    return await ended.promise;
  } finally {
    await server.stop();
  }
}

/** In a clone the page may have to be built, while the address is on the screen already. @throws CliError */
async function readFiles(cluster: Cluster, seams: CliSeams): Promise<PageFiles> {
  const { env, signal } = seams;
  const folder = await (seams.findPage?.() ??
    findPage({ moduleUrl: import.meta.url, env, signal, note: cluster.note }));
  return await readPageFiles(folder).catch((error: unknown) => {
    throw new CliError(`${folder} is not the built page: ${messageOf(error)}`);
  });
}

const commands: Partial<Readonly<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ["open"],
  // Not "start" of cmd, which reads the address as part of its syntax.
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
  linux: ["xdg-open"],
};

/** Its failure is none of ours: the address is on the terminal. */
function openBrowser(url: string): void {
  const command = commands[process.platform];
  if (command === undefined) return;
  const [program, ...args] = command;
  const child = spawn(program, [...args, url], { stdio: "ignore", detached: true });
  child.on("error", () => undefined);
  child.unref();
}

const buildMs = 120_000;

interface PageSearch {
  /** The program's own address: a file of the bundle, or this module in a clone. */
  readonly moduleUrl: string;
  readonly env: CliSeams["env"];
  readonly signal: AbortSignal;
  readonly note: (text: string) => void;
}

/** In a clone the page is built when its sources changed since it was. @throws CliError with the command that builds it */
async function findPage({ moduleUrl, env, signal, note }: PageSearch): Promise<string> {
  const packaged = fileURLToPath(new URL("console/", moduleUrl));
  if (existsSync(join(packaged, "index.html"))) return packaged;
  // From packages/cli/src/commands/console.
  const source = fileURLToPath(new URL("../../../../console/", moduleUrl));
  const build = join(source, "build", "main.ts");
  if (!existsSync(build))
    throw new CliError("this installation lacks the console's files: reinstall the package");
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [build], {
      signal,
      timeout: buildMs,
      env: { ...env },
    });
    for (const line of stdout.split("\n")) if (line !== "") note(line);
  } catch {
    signal.throwIfAborted();
    throw new CliError("cannot build the page: run npm run task -- build-console to see why");
  }
  return join(source, "dist");
}
