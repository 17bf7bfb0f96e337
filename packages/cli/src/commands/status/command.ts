// The command `plimsoll status`.
import { sleep } from "@plimsoll/component-base";
import { printable } from "@plimsoll/component-base/text";
import { summarySorts } from "@plimsoll/decisions";
import { type Command, Option } from "commander";
import { withCluster } from "../../cluster/cluster.ts";
import { checkScope, clusterCommand, countFlag, durationFlag, tableOutputs } from "../../cluster/flags.ts";
import { openDecisions } from "../../decisions/open.ts";
import { addSettingFlags, settingOverrides } from "../../decisions/settings-flags.ts";
import { type CliSeams, clockOf, type ExitCode } from "../../seams.ts";
import type { StatusFlags, StatusQuery } from "./flags.ts";
import { gatherStatus, type StatusList } from "./gather.ts";
import { printStatus } from "./print.ts";
import { watchOnScreen } from "./screen.ts";

const watchIntervalMs = 5_000;

/** plimsoll status [OBJECT…] */
export function statusCommand(seams: CliSeams, done: (code: ExitCode) => void): Command {
  const command = clusterCommand({
    name: "status",
    description: "Lists autoscalers: their current and wanted replicas, what decides, and what limits them.",
    outputs: tableOutputs,
    jq: '.items[] | select(.heldBy != "none") | .name',
  })
    .argument("[OBJECT...]", "NAME, hpa/NAME, wla/NAME, deploy|sts|rs|rollout/NAME or so/NAME; default: all")
    .option("-w, --watch", "list every 5 s; on a terminal, in place of the last list, until Ctrl-C")
    .option("--problem", "list only autoscalers with a problem")
    .addOption(new Option("--sort-by <KEY>", "order of the rows").choices(summarySorts).default("name"))
    .option("--since <DURATION>", "list only autoscalers whose state changed within this time")
    .option(
      "--limit <N>",
      "recompute at most N objects and read who wrote their replicas; show only the stored status of the rest",
      "200",
    );
  return addSettingFlags(command).action(async (objects: readonly string[], flags: StatusFlags) => {
    done(await listStatus(objects, flags, seams));
  });
}

async function listStatus(
  objects: readonly string[],
  flags: StatusFlags,
  seams: CliSeams,
): Promise<ExitCode> {
  checkScope(flags);
  const query: StatusQuery = {
    limit: countFlag("--limit", flags.limit, { min: 0, max: 100_000 }),
    sinceMs: flags.since === undefined ? undefined : durationFlag("--since", flags.since, 1000),
    isProblem: flags.problem === true,
    sortBy: flags.sortBy,
  };
  const overrides = settingOverrides(flags);
  return withCluster(flags, seams, async (cluster) => {
    const read = async (): Promise<StatusList> => {
      const decisions = await openDecisions(cluster, flags, { seams, overrides });
      return gatherStatus(objects, { cluster, decisions, query, flags, nowMs: seams.nowMs() });
    };
    const isText = flags.output === "table" || flags.output === "wide";
    if (flags.watch === true && isText && seams.terminal?.isTty === true)
      return watchOnScreen(read, { flags, cluster, seams, intervalMs: watchIntervalMs });
    const once = async (): Promise<ExitCode> => {
      const list = await read();
      for (const { object, message } of list.errors)
        seams.writeError(`error: ${printable(`${object}: ${message}`)}\n`);
      printStatus(list, { flags, cluster, seams });
      return list.errors.length > 0 ? 1 : 0;
    };
    let code = await once();
    while (flags.watch === true && !seams.signal.aborted) {
      await sleep(clockOf(seams), watchIntervalMs, seams.signal);
      if (!seams.signal.aborted) code = await once();
    }
    return code;
  });
}
