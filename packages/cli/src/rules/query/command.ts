// The command `plimsoll rules query`.
import { Command, Option } from "commander";
import { styleOf } from "../../output/style.ts";
import { printable } from "../../printable.ts";
import { CliError, type CliSeams, type ExitCode } from "../../seams.ts";
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
  readonly maxAge: string;
  readonly output: "table" | "json" | "yaml";
}

/** plimsoll rules query … */
export function rulesQueryCommand(seams: CliSeams, done: (code: ExitCode) => void): Command {
  return new Command("query")
    .description(
      "Follows a metric link by link: rule, series found, name, resource, query, samples, and what the API serves. Says where it ends, and what to do.",
    )
    .argument("<METRIC>", "the metric's name as an autoscaler writes it")
    .requiredOption("-f, --file <FILE>", "the rules file; - for the standard input")
    .option("--against <URL>", "the Prometheus that the adapter queries; required")
    .addOption(prometheusUrlOption())
    .option("-n, --namespace <NAME>", "namespace of the request", "default")
    .option(
      "--resource <RESOURCE>",
      "what the metric is of: pods, services, deployments.apps, or external; pods and external when absent",
    )
    .option("--name <NAME>", "one object; * for all that have series", "*")
    .option("--kubeconfig <FILE>", "read the resources of this cluster, and what its adapter serves")
    .option("--token-file <FILE>", "file with a bearer token for Prometheus")
    .option("--ca-file <FILE>", "CA bundle for the certificate of Prometheus")
    .option("--max-age <DURATION>", "how far back series count as existing", "10m")
    .addOption(
      new Option("-o, --output <FORMAT>", "how to write it")
        .choices(["table", "json", "yaml"])
        .default("table"),
    )
    .action(async (metric: string, flags: QueryFlags) => {
      const { kubeconfig, tokenFile, caFile, resource, prometheusUrl: _, ...others } = flags;
      const against = againstOf(flags);
      if (against === undefined)
        throw new CliError("name the Prometheus that the adapter queries: --against URL");
      const report = await queryMetric({
        metric,
        ...others,
        against,
        kubeconfig,
        tokenFile,
        caFile,
        resource,
        seams,
      });
      if (flags.output === "table") {
        for (const note of report.notes) seams.writeError(`note: ${printable(note)}\n`);
        seams.writeOut(queryText(report, styleOf(seams, "never")));
      } else {
        seams.writeOut(queryDocument(report, new Date(seams.nowMs()).toISOString(), flags.output));
      }
      done(0);
    });
}
