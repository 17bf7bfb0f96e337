// The Prometheus of the rules commands, whose address has two names.
import { Option } from "commander";
import { type PrometheusChoice, prometheusOptions } from "../../cluster/connect.ts";
import { sourcesConfigOption } from "../../cluster/sources.ts";
import { CliError } from "../../seams.ts";

/** Of the commands that query by the rules of a file. */
export interface RuleQueryFlags extends PrometheusChoice {
  readonly against?: string;
  readonly kubeconfig?: string;
  readonly sourcesConfig?: string;
  readonly maxAge: string;
}

/** With the address as the other commands name it. */
export function ruleQueryOptions(): readonly Option[] {
  return [
    new Option("--prometheus-url <URL>", "the same as --against"),
    ...prometheusOptions(),
    sourcesConfigOption(),
    new Option("--max-age <DURATION>", "how far back to look for series").default("10m"),
  ];
}

/** The address, if one is given. @throws CliError where two are */
export function againstOf({ against, prometheusUrl }: RuleQueryFlags): string | undefined {
  if (against !== undefined && prometheusUrl !== undefined)
    throw new CliError("--against and --prometheus-url are the same flag: use one of them");
  return against ?? prometheusUrl;
}
