// Reads the command line of the adapter.
import { helpText, parseFlags } from "@plimsoll/component-base/flags";
import { compileOptions, type OptionsResult } from "./compile.ts";
import { flags } from "./flags.ts";

/** @param args Without the program's own name. */
export function parseOptions(args: readonly string[], version: string): OptionsResult {
  // prometheus-adapter's chart begins its arguments with /adapter, which its program ignores.
  const line = parseFlags(flags, args[0]?.startsWith("/") === true ? args.slice(1) : args);
  if (line.isVersion) return { type: "text", text: `${version}\n` };
  if (!line.isHelp) return compileOptions(line);
  const summary = "Serves the Kubernetes metrics APIs from Prometheus.";
  return { type: "text", text: helpText({ name: "metrics-adapter", summary, flags }) };
}
