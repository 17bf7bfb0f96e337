// The command `plimsoll watch`.
import type { SummaryRow } from "@plimsoll/decisions";
import { type Command, Option } from "commander";
import { withCluster } from "../../cluster/cluster.ts";
import { type ClusterFlags, checkScope, clusterCommand, durationFlag } from "../../cluster/flags.ts";
import { openDecisions } from "../../decisions/open.ts";
import { addSettingFlags, type SettingFlags, settingOverrides } from "../../decisions/settings-flags.ts";
import { findObject } from "../../objects/find.ts";
import { documentLine, documentText, isDocumentFormat } from "../../output/document.ts";
import { styleOf } from "../../output/style.ts";
import { CliError, type CliSeams, clockOf, type ExitCode } from "../../seams.ts";
import { followRows } from "./follow.ts";
import { decisionKey, watchDocument, watchLines } from "./line.ts";

export interface WatchFlags extends ClusterFlags, SettingFlags {
  readonly for?: string;
  readonly until?: string;
}

/** plimsoll watch OBJECT */
export function watchCommand(seams: CliSeams, done: (code: ExitCode) => void): Command {
  const command = clusterCommand({
    name: "watch",
    description: "Prints a line for each decision about an autoscaler that differs from the previous one.",
    outputs: ["table", "json", "yaml"],
    jq: 'select(.action == "scale") | .desired',
  })
    .argument("<OBJECT>", "NAME, hpa/NAME, wla/NAME, deploy|sts|rs|rollout/NAME or so/NAME")
    .option("--for <DURATION>", "exit after this time")
    .addOption(
      new Option(
        "--until <STATE>",
        "exit in this state: desired=N, stable (no change is due), or error (metrics fail). With --for, exits with 1 if it isn't reached",
      ),
    );
  return addSettingFlags(command).action(async (object: string, flags: WatchFlags) => {
    done(await watchObject(object, flags, seams));
  });
}

async function watchObject(text: string, flags: WatchFlags, seams: CliSeams): Promise<ExitCode> {
  checkScope(flags);
  const forMs = flags.for === undefined ? undefined : durationFlag("--for", flags.for, 1000);
  const until = flags.until === undefined ? undefined : parseUntil(flags.until);
  const overrides = settingOverrides(flags);
  return withCluster(flags, seams, async (cluster) => {
    const object = await findObject(cluster, text);
    const decisions = await openDecisions(cluster, flags, { seams, overrides });
    const time = timeLimit(forMs, seams);
    const hasDecisions = isDocumentFormat(flags.output);
    const { signal } = time;
    const rows = followRows(object.identity, { cluster, decisions, flags, seams, hasDecisions, signal });
    try {
      const isReached = await write(rows, { until, flags, seams, notes: cluster.notes });
      if (isReached || until === undefined || seams.signal.aborted) return 0;
    } finally {
      time.end();
    }
    throw new CliError(`--until ${until.text} was not reached within ${flags.for ?? ""}`);
  });
}

/** Ends with the time or with an interrupt. */
function timeLimit(
  forMs: number | undefined,
  seams: CliSeams,
): { readonly signal: AbortSignal; readonly end: () => void } {
  const ended = new AbortController();
  const signal = AbortSignal.any([seams.signal, ended.signal]);
  const cancel =
    forMs === undefined
      ? () => undefined
      : clockOf(seams).after(forMs, () => ended.abort(new Error("time is up")));
  return { signal, end: cancel };
}

interface Write {
  readonly until: Until | undefined;
  readonly flags: WatchFlags;
  readonly seams: CliSeams;
  /** Of the command so far; more are added while it runs. */
  readonly notes: readonly string[];
}

/** Whether what was waited for was reached. */
async function write(
  rows: ReturnType<typeof followRows>,
  { until, flags, seams, notes }: Write,
): Promise<boolean> {
  const style = styleOf(seams, flags.color);
  let last: string | undefined;
  let documented = 0;
  for await (const followed of rows) {
    const { row, decision } = followed;
    const key = decisionKey(row);
    if (key !== last) {
      last = key;
      const document = watchDocument(row, decision, notes.slice(documented));
      documented = notes.length;
      if (flags.output === "json") seams.writeOut(documentLine(document));
      else if (flags.output === "yaml") seams.writeOut(`---\n${documentText(document, "yaml")}`);
      else for (const line of watchLines(row, style, seams.nowMs())) seams.writeOut(`${line}\n`);
    }
    if (until?.isReached(row) === true) return true;
  }
  return false;
}

interface Until {
  readonly text: string;
  readonly isReached: (row: SummaryRow) => boolean;
}

/** @throws CliError */
function parseUntil(text: string): Until {
  const count = /^desired=(\d{1,9})$/.exec(text)?.[1];
  if (count !== undefined)
    return { text, isReached: ({ desired, action }) => action !== "none" && desired === Number(count) };
  if (text === "stable") return { text, isReached: isStable };
  if (text === "error") return { text, isReached: isError };
  throw new CliError(`--until ${text} is unknown: use desired=N, stable or error`);
}

const quiet: ReadonlySet<SummaryRow["heldBy"]> = new Set(["none", "tolerance"]);

/** The replicas are those that the metrics propose, and no window holds others. */
function isStable({ action, heldBy }: SummaryRow): boolean {
  return action === "hold" && quiet.has(heldBy);
}

const failed: ReadonlySet<SummaryRow["heldBy"]> = new Set(["failed", "blocked", "selector"]);

function isError({ heldBy }: SummaryRow): boolean {
  return failed.has(heldBy);
}
