// The command `plimsoll rules query`.
import { printable } from "@plimsoll/component-base/text";
import { Command, Option } from "commander";
import { prometheusHeaderOption, prometheusHeaders } from "../../../cluster/connect.ts";
import { sourcesConfigOption } from "../../../cluster/sources.ts";
import { styleOf } from "../../../output/style.ts";
import { CliError, type CliSeams, type ExitCode } from "../../../seams.ts";
import { againstOf, prometheusUrlOption } from "../against.ts";
import { queryMetric } from "./query.ts";
import { queryDocument, queryText } from "./report.ts";

interface QueryFlags {
  readonly namespace: string;
  readonly resource?: string;
  readonly name: string;
  readonly file: string;
  readonly against?: string;
  readonly prometheusUrl?: string;
  readonly kubeconfig?: string;
  readonly tokenFile?: string;
  readonly caFile?: string;
  readonly prometheusHeader?: readonly string[];
  readonly sourcesConfig?: string;
  readonly maxAge: string;
  readonly output: "table" | "json" | "yaml";
}

/** plimsoll rules query … */
export function rulesQueryCommand(seams: CliSeams, done: (code: ExitCode) => void): Command {
  return new Command("query")
    .description(
      "Follows a metric step by step: rule, series, name, resource, query, samples, and what the API serves. Shows the step that fails and how to fix it. Exits with 2 when no rule provides the metric.",
    )
    .argument("<METRIC>", "name of the metric as an autoscaler uses it")
    .requiredOption("-f, --file <FILE>", "rules file; - for standard input")
    .option("--against <URL>", "Prometheus that the adapter queries; required without a default source")
    .addOption(prometheusUrlOption())
    .option("-n, --namespace <NAME>", "namespace of the request", "default")
    .option(
      "--resource <RESOURCE>",
      "what the metric describes: pods, services, deployments.apps, or external (default: pods and external)",
    )
    .option("--name <NAME>", "name of one object; * for all with series", "*")
    .option("--kubeconfig <FILE>", "read the resources of this cluster and what its adapter serves")
    .option("--token-file <FILE>", "file with a bearer token for Prometheus")
    .option("--ca-file <FILE>", "CA bundle for the certificate of Prometheus")
    .addOption(prometheusHeaderOption())
    .addOption(sourcesConfigOption())
    .option("--max-age <DURATION>", "how far back to look for series", "10m")
    .addOption(
      new Option("-o, --output <FORMAT>", "output format")
        .choices(["table", "json", "yaml"])
        .default("table"),
    )
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
}
