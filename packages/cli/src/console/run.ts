// Serves the page until it is interrupted, or nobody has looked at it for a while.
import { messageOf } from "@plimsoll/component-base";
import { redact } from "@plimsoll/core/redact";
import { clockOf } from "../clock-of.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { countFlag, durationFlag } from "../cluster/flags.ts";
import { openDecisions } from "../decisions/open.ts";
import { endpointFor } from "../decisions/open.ts";
import { printable } from "../printable.ts";
import type { CliSeams, ExitCode } from "../seams.ts";
import { openBrowser } from "./open-browser.ts";
import { findingsData } from "./data/findings.ts";
import { openHistory } from "./data/history.ts";
import { createIndex } from "./data/index-document.ts";
import { recordedData } from "./data/recorded.ts";
import { recomputedData } from "./data/recomputed.ts";
import type { ConsoleFlags } from "./flags.ts";
import { findPage } from "./page-folder.ts";
import { failureOf } from "./server/failure-of.ts";
import { readPageFiles } from "./server/files.ts";
import { startServer } from "./server/server.ts";

export async function serveConsole(cluster: Cluster, flags: ConsoleFlags, seams: CliSeams): Promise<ExitCode> {
  const port = countFlag("--port", flags.port, { min: 0, max: 65_535 });
  const idleMs = flags.idle === "0" ? 0 : durationFlag("--idle", flags.idle, 1_000);
  const clock = clockOf(seams);
  const history = flags.prometheusUrl === undefined ? undefined : openHistory(flags.prometheusUrl);
  if (history !== undefined) cluster.closeWith(history.close);
  const { note } = cluster;
  const folder = await findPage({ moduleUrl: import.meta.url, signal: seams.signal, note });
  const files = await readPageFiles(folder);
  const { recomputing, recorded } = await openDecisions(cluster, flags, { seams, overrides: {} });
  const opened = await endpointFor({ cluster, flags, seams });
  const reason = opened.ok ? "the autoscaler has no decision about it" : `recomputed: ${opened.reason}`;
  const again = recomputedData({ cluster, clock, recomputing, reason });
  const decisions = opened.ok ? recordedData(opened.endpoint, again) : again;
  const prometheusUrl = flags.prometheusUrl;
  const write = (text: string): void => seams.writeOut(`${text}\n`);
  let end: (code: ExitCode) => void = () => undefined;
  const ended = new Promise<ExitCode>((resolve) => {
    end = resolve;
  });
  const server = await startServer({
    port,
    clock,
    idleMs,
    files,
    decisions,
    findings: findingsData({ cluster, clock, recorded, prometheusUrl, seams }),
    history: history?.data,
    index: createIndex({ cluster, clock, decisions, hasHistory: history !== undefined, version: seams.version }),
    failureOf: failureOf(cluster, (error) =>
      seams.writeError(`error: ${printable(redact(messageOf(error)))}\n`),
    ),
    onIdle() {
      write(`Nobody looked at it for ${flags.idle}: it ends.`);
      end(0);
    },
    onOpened: () => write(`Opened. For another browser: ${address()}`),
  });
  const query = flags.namespace === undefined ? "" : `?ns=${encodeURIComponent(flags.namespace)}`;
  const address = (): string => `http://127.0.0.1:${server.port}/console/${query}#code=${server.session.code()}`;
  try {
    write(`Console: ${address()}`);
    write("The address is good for one browser. Ctrl-C ends it.");
    if (flags.open) (seams.openBrowser ?? openBrowser)(address());
    seams.signal.addEventListener("abort", () => end(130), { once: true });
    if (seams.signal.aborted) end(130);
    return await ended;
  } finally {
    await server.stop();
  }
}
