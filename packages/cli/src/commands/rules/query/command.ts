// The command `plimsoll rules query`.
import { printable } from "@plimsoll/component-base/text";
import { Command } from "commander";
import { prometheusHeaders } from "../../../cluster/connect.ts";
import { outputOption } from "../../../cluster/flags.ts";
import { styleOf } from "../../../output/style.ts";
import { CliError, type CliSeams, type ExitCode } from "../../../seams.ts";
import { againstOf, type RuleQueryFlags, ruleQueryOptions } from "../against.ts";
import { queryMetric } from "./query.ts";
import { queryDocument, queryText } from "./report.ts";

interface QueryFlags extends RuleQueryFlags {
  readonly namespace: string;
  readonly resource?: string;
  readonly name: string;
  readonly file: string;
  readonly output: "table" | "json" | "yaml";
}

/** plimsoll rules query … */
export function rulesQueryCommand(seams: CliSeams, done: (code: ExitCode) => void): Command {
  const query = new Command("query")
    .description(
      "Follows a metric step by step: rule, series, name, resource, query, samples, and what the API serves. Shows the step that fails and how to fix it. Exits with 2 when no rule provides the metric.",
    )
    .argument("<METRIC>", "name of the metric as an autoscaler uses it")
    .requiredOption("-f, --file <FILE>", "rules file; - for standard input")
    .option("--against <URL>", "Prometheus that the adapter queries; required without a default source")
    .option("-n, --namespace <NAME>", "namespace of the request", "default")
    .option(
      "--resource <RESOURCE>",
      "what the metric describes: pods, services, deployments.apps, or external (default: pods and external)",
    )
    .option("--name <NAME>", "name of one object; * for all with series", "*")
    .option("--kubeconfig <FILE>", "read the resources of this cluster and what its adapter serves")
    .addOption(outputOption(["table", "json", "yaml"]))
    .action(async (metric: string, flags: QueryFlags) => {
      const { kubeconfig, tokenFile, caFile, resource, prometheusUrl: _, ...others } = flags;
      const against = againstOf(flags);
      if (against === undefined && flags.sourcesConfig === undefined)
        throw new CliError("set the Prometheus that the adapter queries with --against URL");
      const report = await queryMetric({
        metric,
        ...others,
        against,
        kubeconfig,
        tokenFile,
        caFile,
        headers: prometheusHeaders(flags),
        resource,
        seams,
      });
      if (flags.output === "table") {
        for (const note of report.notes) seams.writeError(`note: ${printable(note)}\n`);
        seams.writeOut(queryText(report, styleOf(seams, "never")));
      } else {
        seams.writeOut(queryDocument(report, new Date(seams.nowMs()).toISOString(), flags.output));
      }
      done(report.candidates.length === 0 && !report.served.ok ? 2 : 0);
    });
  for (const option of ruleQueryOptions()) query.addOption(option);
  return query;
}
