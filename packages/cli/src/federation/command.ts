// The command `plimsoll federation`.
import { formatInstant } from "@plimsoll/core";
import { Command } from "commander";
import { withCluster } from "../cluster/cluster.ts";
import { type ConnectionFlags, connectionOptions, outputOptions } from "../cluster/flags.ts";
import { documentText, isDocumentFormat } from "../output/document.ts";
import { type ColorMode, styleOf } from "../output/style.ts";
import { helmFor, kubectlFor } from "../release/shell.ts";
import type { CliSeams, ExitCode } from "../seams.ts";
import type { FederationPlanDocument } from "./document.ts";
import { readRegistered } from "./gather.ts";
import { planOf } from "./plan.ts";
import { planText } from "./text.ts";

interface PlanFlags extends ConnectionFlags {
  readonly output: string;
  readonly headers: boolean;
  readonly color: ColorMode;
}

/** plimsoll federation … */
export function federationCommand(seams: CliSeams, done: (code: ExitCode) => void): Command {
  const federation = new Command("federation").description(
    "Other metrics adapters behind the APIServices of ours.",
  );
  const plan = federation
    .command("plan")
    .description(
      "Prints the file of backends and the steps, with their commands, by which the other metrics adapters of a cluster come behind ours without a gap, and how each is taken back. Nothing is written to the cluster.",
    );
  for (const option of connectionOptions()) if (option.long !== "--namespace") plan.addOption(option);
  for (const option of outputOptions(["table", "json", "yaml"])) plan.addOption(option);
  plan
    .addHelpText(
      "after",
      "\nAs a table it is text for a shell, in which all but the commands are comments; carry it out step by step.\n\nThe file of backends alone: plimsoll federation plan -o json | jq -r .config",
    )
    .action(async (flags: PlanFlags) => done(await plans(flags, seams)));
  return federation;
}

function plans(flags: PlanFlags, seams: CliSeams): Promise<ExitCode> {
  return withCluster(flags, seams, async (cluster) => {
    const nowMs = seams.nowMs();
    const plan = planOf(
      await readRegistered(cluster),
      { kubectl: kubectlFor(flags), ...helmFor(flags) },
      nowMs,
    );
    const document: FederationPlanDocument = {
      schema: "plimsoll/federation-plan/v1",
      at: formatInstant(nowMs),
      server: cluster.version.text,
      ...plan,
      notes: [...cluster.notes, ...plan.notes],
      errors: [],
    };
    if (isDocumentFormat(flags.output)) seams.writeOut(documentText(document, flags.output));
    else if (plan.backends.length === 0)
      seams.writeError(
        [
          "nothing to federate: no other adapter is behind an APIService of custom or external metrics",
          ...plan.notes,
        ]
          .map((line) => `${line}\n`)
          .join(""),
      );
    else
      seams.writeOut(planText(document, { style: styleOf(seams, flags.color), hasHeadings: flags.headers }));
    return 0;
  });
}
