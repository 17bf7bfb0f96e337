// The command `plimsoll federation`.
import { formatInstant } from "@plimsoll/core";
import type { PlannedBackend } from "@plimsoll/migration/federation";
import { planOf } from "@plimsoll/migration/federation";
import { helmFor, kubectlFor } from "@plimsoll/migration/release";
import { Command } from "commander";
import { withCluster } from "../../cluster/cluster.ts";
import { type ConnectionFlags, connectionOptions, outputOptions } from "../../cluster/flags.ts";
import { documentText, isDocumentFormat } from "../../output/document.ts";
import type { Style } from "../../output/style.ts";
import { type ColorMode, styleOf } from "../../output/style.ts";
import { type Column, tableLines } from "../../output/table.ts";
import type { CliSeams, ExitCode } from "../../seams.ts";
import { commentOf, stepLines } from "../release/text.ts";
import type { FederationPlanDocument } from "./document.ts";
import { readRegistered } from "./gather.ts";

interface PlanFlags extends ConnectionFlags {
  readonly output: string;
  readonly headers: boolean;
  readonly color: ColorMode;
}

/** plimsoll federation … */
export function federationCommand(seams: CliSeams, done: (code: ExitCode) => void): Command {
  const federation = new Command("federation").description(
    "Plans how Plimsoll serves other metrics adapters.",
  );
  const plan = federation
    .command("plan")
    .description(
      "Plans how to put the other metrics adapters of a cluster behind Plimsoll without a gap. Prints the file of backends, and the steps with their commands. Each step includes its undo. Writes nothing to the cluster.",
    );
  for (const option of connectionOptions()) if (option.long !== "--namespace") plan.addOption(option);
  for (const option of outputOptions(["table", "json", "yaml"])) plan.addOption(option);
  plan
    .addHelpText(
      "after",
      "\nThe table is a shell script: everything except the commands is a comment. Run it step by step.\n\nThe file of backends alone: plimsoll federation plan -o json | jq -r .config",
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
          "nothing to federate: no APIService of custom or external metrics points to another adapter",
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

const columns: readonly Column<PlannedBackend>[] = [
  { heading: "BACKEND", cell: ({ name }) => name },
  { heading: "SERVICE", cell: ({ service }) => service },
  { heading: "APISERVICES", cell: ({ apiServices }) => apiServices.join(",") },
  { heading: "FOUND BY", cell: ({ foundBy }) => foundBy },
];

/** For a shell. */
function planText(
  { backends, notes, steps }: FederationPlanDocument,
  { style, hasHeadings }: { readonly style: Style; readonly hasHeadings: boolean },
): string {
  const comment = commentOf(style);
  return [
    ...tableLines(backends, columns, { style, hasHeadings, indent: "# " }),
    ...(notes.length === 0 ? [] : ["", ...notes.flatMap((note) => comment(`Note: ${note}`))]),
    ...steps.flatMap((step, index) => ["", ...stepLines(step, index + 1, style)]),
    "",
  ].join("\n");
}
