// Serves the page until it is interrupted, or no browser has looked at it for a while.
import { messageOf } from "@plimsoll/component-base";
import { type PageFiles, readPageFiles } from "@plimsoll/component-base/page";
import { redact } from "@plimsoll/core/redact";
import { clockOf } from "../clock-of.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { countFlag, durationFlag } from "../cluster/flags.ts";
import { printable } from "../printable.ts";
import { CliError, type CliSeams, type ExitCode } from "../seams.ts";
import type { ConsoleFlags } from "./flags.ts";
import { openBrowser } from "./open-browser.ts";
import { openData } from "./open-data.ts";
import { findPage } from "./page-folder.ts";
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
      write(`No page was open for ${flags.idle}: the console ends.`);
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
    write("The address is good for one browser. Ctrl-C ends it.");
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
