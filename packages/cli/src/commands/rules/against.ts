// The Prometheus of the rules commands, which has two names.
import { Option } from "commander";
import { CliError } from "../../seams.ts";

/** As the other commands name it. */
export function prometheusUrlOption(): Option {
  return new Option("--prometheus-url <URL>", "the same as --against");
}

/** The address, if one is given. @throws CliError where two are */
export function againstOf(flags: {
  readonly against?: string;
  readonly prometheusUrl?: string;
}): string | undefined {
  const { against, prometheusUrl } = flags;
  if (against !== undefined && prometheusUrl !== undefined)
    throw new CliError("--against and --prometheus-url are the same flag: use one of them");
  return against ?? prometheusUrl;
}
