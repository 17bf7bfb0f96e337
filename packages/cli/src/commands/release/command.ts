// The command `plimsoll rollback`.
import { formatInstant } from "@plimsoll/core";
import { type HpaAbilities, kubectlFor, planOf } from "@plimsoll/migration/release";
import { Command } from "commander";
import { type Cluster, withCluster } from "../../cluster/cluster.ts";
import { type ConnectionFlags, choice, connectionOptions, outputOptions } from "../../cluster/flags.ts";
import { documentText, isDocumentFormat } from "../../output/document.ts";
import { type ColorMode, styleOf } from "../../output/style.ts";
import type { CliSeams, ExitCode } from "../../seams.ts";
import type { ReleasePlanDocument } from "./document.ts";
import { readInstalled } from "./gather.ts";
import { planText } from "./text.ts";

interface ReleaseFlags extends ConnectionFlags {
  readonly metricsService?: string;
  readonly hpaScaleToZero: "auto" | "on" | "off";
  readonly output: string;
  readonly headers: boolean;
  readonly color: ColorMode;
}

/** plimsoll rollback … */
export function rollbackCommand(seams: CliSeams, done: (code: ExitCode) => void): Command {
  const rollback = new Command("rollback").description(
    "Plans how to go back to the built-in controller and prometheus-adapter.",
  );
  const plan = rollback
    .command("plan")
    .description(
      "Prints the steps that move a cluster back to the built-in controller and prometheus-adapter. Each step has its commands and its undo. Writes nothing to the cluster. Exits with 2 when something can't be moved.",
    );
  for (const option of connectionOptions()) if (option.long !== "--namespace") plan.addOption(option);
  for (const option of outputOptions(["table", "json", "yaml"])) plan.addOption(option);
  plan
    .option(
      "--metrics-service <NAMESPACE/NAME>",
      "Service that serves the metrics APIs afterwards (default: that of prometheus-adapter's chart)",
    )
    .addOption(
      choice(
        "--hpa-scale-to-zero <WHEN>",
        "whether the feature gate HPAScaleToZero is on; auto: on since Kubernetes 1.37",
        ["auto", "on", "off"],
      ),
    )
    .addHelpText(
      "after",
      "\nThe plan covers the whole cluster. The table is a shell script: everything except the commands is a comment. Run it step by step.\n\nFields of the JSON: plimsoll rollback plan -o json | jq -r '.steps[].commands[]'",
    )
    .action(async (flags: ReleaseFlags) => done(await plans(flags, seams)));
  return rollback;
}

function plans(flags: ReleaseFlags, seams: CliSeams): Promise<ExitCode> {
  return withCluster(flags, seams, async (cluster) => {
    const nowMs = seams.nowMs();
    const plan = planOf(await readInstalled(cluster, flags.metricsService), {
      abilities: abilitiesOf(cluster, flags),
      nowMs,
      kubectl: kubectlFor(flags),
    });
    const document: ReleasePlanDocument = {
      schema: "plimsoll/release-plan/v1",
      at: formatInstant(nowMs),
      server: cluster.version.text,
      objects: plan?.objects ?? [],
      differences: plan?.differences ?? [],
      steps: plan?.steps ?? [],
      notes: [...cluster.notes, ...(plan?.notes ?? [])],
      errors: [],
    };
    if (isDocumentFormat(flags.output)) seams.writeOut(documentText(document, flags.output));
    else if (plan === undefined) seams.writeError("nothing to do: Plimsoll isn't in this cluster\n");
    else
      seams.writeOut(planText(document, { style: styleOf(seams, flags.color), hasHeadings: flags.headers }));
    return document.differences.length > 0 ? 2 : 0;
  });
}

function abilitiesOf({ version: { minor } }: Cluster, { hpaScaleToZero }: ReleaseFlags): HpaAbilities {
  return {
    hasTolerance: minor !== undefined && minor >= 35,
    hasZero: hpaScaleToZero === "auto" ? minor !== undefined && minor >= 37 : hpaScaleToZero === "on",
  };
}
