import { type CommandLine, parseCommandLine } from "./options/command-line.ts";
import { compileOptions, type OptionsResult } from "./options/compile.ts";
import type { Flag } from "./options/flag.ts";
import { ignoredFlags } from "./options/ignored-flags.ts";
import { usedFlags } from "./options/used-flags.ts";

/** The one table: parsing, defaults, --help and the documentation come from it. */
export const flags: readonly Flag[] = [...usedFlags, ...ignoredFlags];

/** @param args Without the program's own name. */
export function parseOptions(args: readonly string[], version: string): OptionsResult {
  const line: CommandLine = {
    name: "metrics-adapter",
    summary: "Serves the Kubernetes metrics APIs out of Prometheus.",
    version,
    flags,
  };
  const result = parseCommandLine(line, args);
  return result.type === "values" ? compileOptions(flags, result.values) : result;
}
