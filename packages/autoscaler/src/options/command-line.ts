// The command line of the autoscaler: its arguments, and the text of --help.
import { helpText as helpOf, type ParsedFlags, parseFlags } from "@plimsoll/component-base/flags";
import { type FlagName, flags } from "./flags.ts";

export type CommandLine = ParsedFlags<FlagName>;

/** Assigns the arguments to the flags; nothing is checked yet. */
export function readCommandLine(args: readonly string[]): CommandLine {
  return parseFlags(flags, args);
}

/** The text of --help. */
export function helpText(): string {
  return helpOf({
    name: "autoscaler",
    summary:
      "Evaluates HorizontalPodAutoscalers as kube-controller-manager does, and explains every decision.",
    flags,
  });
}
