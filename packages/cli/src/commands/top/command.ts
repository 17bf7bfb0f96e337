// The command `plimsoll top`.
import { summarySorts } from "@plimsoll/decisions";
import { type Command, Option } from "commander";
import { withCluster } from "../../cluster/cluster.ts";
import { checkScope, clusterCommand, countFlag, durationFlag, tableOutputs } from "../../cluster/flags.ts";
import { openDecisions } from "../../decisions/open.ts";
import { addSettingFlags, settingOverrides } from "../../decisions/settings-flags.ts";
import type { CliSeams, ExitCode } from "../../seams.ts";
import type { StatusFlags, StatusQuery } from "../status/flags.ts";
import { gatherStatus } from "../status/gather.ts";
import { printStatus } from "../status/print.ts";
import { runScreen } from "./screen.ts";

interface TopFlags extends StatusFlags {
  readonly interval: string;
}

/** plimsoll top */
export function topCommand(seams: CliSeams, done: (code: ExitCode) => void): Command {
  const command = clusterCommand({
    name: "top",
    description:
      "Shows the status list on the whole terminal and keeps it current. Keys: arrows move, / filters, s sorts, enter explains, q quits. Without a terminal it prints the list once.",
    outputs: tableOutputs,
    jq: ".items[0].name",
  })
    .option("--interval <DURATION>", "how often to read the list", "5s")
    .option("--problem", "list only autoscalers with a problem")
    .addOption(new Option("--sort-by <KEY>", "order of the rows").choices(summarySorts).default("name"))
    .option("--limit <N>", "recompute at most N objects; show only the stored status of the rest", "200");
  return addSettingFlags(command).action(async (flags: TopFlags) => {
    done(await top(flags, seams));
  });
}

async function top(flags: TopFlags, seams: CliSeams): Promise<ExitCode> {
  checkScope(flags, []);
  const intervalMs = durationFlag("--interval", flags.interval, 1000);
  const query: StatusQuery = {
    limit: countFlag("--limit", flags.limit, { min: 0, max: 100_000 }),
    sinceMs: undefined,
    isProblem: flags.problem === true,
    sortBy: "name",
  };
  const overrides = settingOverrides(flags);
  return withCluster(flags, seams, async (cluster) => {
    const decisions = await openDecisions(cluster, flags, { seams, overrides });
    const read = (sortBy: StatusQuery["sortBy"]) =>
      gatherStatus([], { cluster, decisions, query: { ...query, sortBy }, flags, nowMs: seams.nowMs() });
    const { keys, terminal } = seams;
    const isScreen = flags.output === "table" || flags.output === "wide";
    if (terminal?.isTty !== true || keys === undefined || !isScreen) {
      printStatus(await read(flags.sortBy), { flags, cluster, seams });
      return 0;
    }
    return runScreen({
      cluster,
      decisions,
      flags,
      seams,
      keys,
      terminal,
      intervalMs,
      // By name, so that another order can be made of it.
      read: () => read("name"),
    });
  });
}
