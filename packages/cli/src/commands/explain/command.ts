// The command `plimsoll explain`.
import { instantMs } from "@plimsoll/core";
import { type Command, Option } from "commander";
import { withCluster } from "../../cluster/cluster.ts";
import { checkScope, clusterCommand, countFlag } from "../../cluster/flags.ts";
import { openDecisions } from "../../decisions/open.ts";
import { addSettingFlags, settingOverrides } from "../../decisions/settings-flags.ts";
import { findObject } from "../../objects/find.ts";
import { CliError, type CliSeams, type ExitCode } from "../../seams.ts";
import { chooseDecision, type Moment } from "./choose.ts";
import type { ExplainFlags } from "./flags.ts";
import { printExplanation } from "./print.ts";

const maxReplicas = 2_147_483_647;

/** plimsoll explain OBJECT */
export function explainCommand(seams: CliSeams, done: (code: ExitCode) => void): Command {
  const command = clusterCommand({
    name: "explain",
    description:
      "Explains why an autoscaler keeps or changes the replicas of its target, what would change that, and when.",
    outputs: ["table", "markdown", "json", "yaml", "name", "record"],
    jq: ".summary.heldBy",
  })
    .argument("<OBJECT>", "NAME, hpa/NAME, wla/NAME, deploy|sts|rs|rollout/NAME or so/NAME")
    .option("--why-not <N>", "explain why it doesn't have N replicas, and what would lead to N")
    .addOption(new Option("--steps", "show every step from the metrics to the replicas").conflicts("full"))
    .option("--full", "show every pod and number")
    .addOption(new Option("--at <TIME>", "show the last decision before this time").conflicts("back"))
    .option("--back <N>", "show the decision N evaluations ago")
    .option("--diff", "show what differs from the previous decision")
    .option("--settle", "wait up to two sync periods until the status agrees")
    .option("--fail-on-difference", "exit with 2 when the status differs");
  return addSettingFlags(command).action(async (object: string, flags: ExplainFlags) => {
    done(await explainObject(object, flags, seams));
  });
}

async function explainObject(text: string, flags: ExplainFlags, seams: CliSeams): Promise<ExitCode> {
  checkScope(flags);
  const moment = momentOf(flags);
  const overrides = settingOverrides(flags);
  const whyNot =
    flags.whyNot === undefined
      ? undefined
      : countFlag("--why-not", flags.whyNot, { min: 0, max: maxReplicas });
  return withCluster(flags, seams, async (cluster) => {
    const object = await findObject(cluster, text);
    const decisions = await openDecisions(cluster, flags, { seams, overrides });
    const explained = await chooseDecision(object, {
      cluster,
      decisions,
      moment,
      seams,
      settles: flags.settle === true,
      previous: flags.diff === true,
    });
    printExplanation(explained, { flags, whyNot, cluster, seams });
    const differs = flags.failOnDifference === true && explained.comparison?.verdict === "differs";
    return differs ? 2 : 0;
  });
}

function momentOf({ at, back }: ExplainFlags): Moment {
  if (back !== undefined)
    return { kind: "back", count: countFlag("--back", back, { min: 0, max: 1_000_000 }) };
  if (at === undefined) return { kind: "newest" };
  const atMs = instantMs(at);
  if (atMs === undefined)
    throw new CliError(`--at ${at} is not a time: use a value such as 2026-12-24T08:00:00Z`);
  return { kind: "at", atMs };
}
