// The flags of every command that talks to a cluster: those of kubectl, and ours for output.
import { parseGoDuration } from "@plimsoll/core/duration";
import { Command, Option } from "commander";
import type { ColorMode } from "../output/style.ts";
import { CliError } from "../seams.ts";

/** The flags that say which cluster, and as whom; as commander hands them over. */
export interface ConnectionFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly cluster?: string;
  readonly user?: string;
  readonly namespace?: string;
  readonly allNamespaces?: boolean;
  readonly selector?: string;
  readonly as?: string;
  readonly asGroup?: readonly string[];
  readonly requestTimeout: string;
  readonly verbose?: boolean;
}

/** Those of a command that talks to a cluster. */
export interface ClusterFlags extends ConnectionFlags {
  readonly output: string;
  /** False with --no-headers. */
  readonly headers: boolean;
  readonly color: ColorMode;
  readonly via: Via;
  readonly server?: string;
  readonly caFile?: string;
  readonly sendToken: "auto" | "never";
  readonly endpointNamespace?: string;
}

/** The way to the decisions endpoint; "none": what it would say is recomputed. */
export type Via = "auto" | "apiservice" | "port-forward" | "server" | "none";

export interface ClusterCommand {
  readonly name: string;
  readonly description: string;
  /** Of -o; the first is the default. */
  readonly outputs: readonly [string, ...string[]];
  /** How a field of the JSON is read, for the help. */
  readonly jq?: string;
}

export const tableOutputs = ["table", "wide", "json", "yaml", "name"] as const;

/** A command with the flags that all commands for clusters have. */
export function clusterCommand({ name, description, outputs, jq }: ClusterCommand): Command {
  const command = new Command(name).description(description);
  for (const option of [...kubectlOptions(), ...outputOptions(outputs), ...endpointOptions()])
    command.addOption(option);
  const example = jq === undefined ? "" : `\n\nFields of the JSON: plimsoll ${name} … -o json | jq '${jq}'`;
  return command.addHelpText(
    "after",
    `\nFlags go after the subcommand: kubectl plimsoll ${name} --context x. Times are UTC.${example}`,
  );
}

/** For a command whose objects are those of one namespace. */
export function connectionOptions(): readonly Option[] {
  const ofLists: readonly (string | undefined)[] = ["--all-namespaces", "--selector"];
  return kubectlOptions().filter(({ long }) => !ofLists.includes(long));
}

function kubectlOptions(): readonly Option[] {
  return [
    new Option("--kubeconfig <FILE>", "path of the kubeconfig"),
    new Option("--context <NAME>", "context of the kubeconfig"),
    new Option("--cluster <NAME>", "cluster of the kubeconfig"),
    new Option("--user <NAME>", "user of the kubeconfig"),
    new Option("-n, --namespace <NAME>", "namespace (default: that of the context)"),
    new Option("-A, --all-namespaces", "objects in all namespaces"),
    new Option("-l, --selector <SELECTOR>", "objects with these labels"),
    new Option("--as <USER>", "user to impersonate"),
    new Option("--as-group <GROUP>", "group to impersonate; repeatable").argParser(repeated),
    new Option("--request-timeout <DURATION>", "timeout of one request").default("10s"),
    new Option("-v, --verbose", "print each request and its duration to standard error"),
  ].map((option) => option.helpGroup("Cluster:"));
}

/** How a document is written; the first format is the default. */
export function outputOptions(outputs: ClusterCommand["outputs"]): readonly Option[] {
  return [
    outputOption(outputs),
    new Option("--no-headers", "omit the headings of tables"),
    colorOption(),
  ].map((option) => option.helpGroup("Output:"));
}

export function outputOption(outputs: ClusterCommand["outputs"]): Option {
  return choice("-o, --output <FORMAT>", "output format", outputs);
}

export function colorOption(): Option {
  return choice("--color <WHEN>", "when to use colors; NO_COLOR turns them off", ["auto", "always", "never"]);
}

/** An option with a few values; the first one is the default. */
export function choice(flags: string, help: string, choices: readonly [string, ...string[]]): Option {
  return new Option(flags, help).choices(choices).default(choices[0]);
}

/** Collects the values of an option. A list would take the arguments behind it for values. */
export function repeated(value: string, all: readonly string[] | undefined): readonly string[] {
  return [...(all ?? []), value];
}

function endpointOptions(): readonly Option[] {
  return [
    choice("--via <WAY>", "how to reach the autoscaler's decisions; none recomputes them", [
      "auto",
      "apiservice",
      "port-forward",
      "server",
      "none",
    ]),
    new Option("--server <URL>", "address of the decisions endpoint, with --via server"),
    new Option("--ca-file <FILE>", "CA bundle for the certificate of --server"),
    new Option(
      "--endpoint-namespace <NAME>",
      "namespace of the autoscaler's lease, with --via port-forward (default: plimsoll, then kube-system)",
    ),
    choice("--send-token <WHEN>", "whether to send your bearer token to the autoscaler", ["auto", "never"]),
  ].map((option) => option.helpGroup("Decisions endpoint:"));
}

/** A duration in Go's form. @throws CliError with the flag and what is allowed. */
export function durationFlag(flag: string, value: string, minMs = 0): number {
  const durationMs = parseGoDuration(value);
  if (durationMs !== undefined && durationMs >= minMs) return durationMs;
  throw new CliError(
    `${flag} ${value} is not a duration of at least ${minMs / 1000}s: use a value such as 30s or 5m`,
  );
}

/** A whole number within a range. @throws CliError with the flag and what is allowed. */
export function countFlag(
  flag: string,
  value: string,
  { min, max }: { readonly min: number; readonly max: number },
): number {
  const count = /^\d+$/.test(value) ? Number(value) : Number.NaN;
  if (count >= min && count <= max) return count;
  throw new CliError(`${flag} ${value} is not a whole number from ${min} to ${max}`);
}

/** @throws CliError: a namespace and all of them. */
export function checkScope({ allNamespaces, namespace }: ClusterFlags): void {
  if (allNamespaces === true && namespace !== undefined) throw new CliError("-A and -n can't be combined");
}
