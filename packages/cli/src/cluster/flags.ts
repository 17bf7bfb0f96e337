// The flags of every command that talks to a cluster: those of kubectl, and ours for output.
import { parseGoDuration } from "@plimsoll/core/duration";
import { Command, Option } from "commander";
import type { ColorMode } from "../output/style.ts";
import { CliError } from "../seams.ts";

/** As commander hands them over. */
export interface ClusterFlags {
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
  readonly output: string;
  /** False with --no-headers. */
  readonly headers: boolean;
  readonly color: ColorMode;
  readonly via: Via;
  readonly server?: string;
  readonly caFile?: string;
  readonly sendToken: "auto" | "never";
  readonly endpointNamespace?: string;
  readonly verbose?: boolean;
}

/** Those that say which cluster, and as whom. */
export type ConnectionFlags = Pick<
  ClusterFlags,
  | "kubeconfig"
  | "context"
  | "cluster"
  | "user"
  | "namespace"
  | "allNamespaces"
  | "selector"
  | "as"
  | "asGroup"
  | "requestTimeout"
  | "verbose"
>;

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

const connection = "Cluster:";
const output = "Output:";
const endpoint = "Decisions endpoint:";

function kubectlOptions(): readonly Option[] {
  return [
    new Option("--kubeconfig <FILE>", "path of the kubeconfig").helpGroup(connection),
    new Option("--context <NAME>", "context of the kubeconfig").helpGroup(connection),
    new Option("--cluster <NAME>", "cluster of the kubeconfig").helpGroup(connection),
    new Option("--user <NAME>", "user of the kubeconfig").helpGroup(connection),
    new Option("-n, --namespace <NAME>", "namespace (default: that of the context)").helpGroup(connection),
    new Option("-A, --all-namespaces", "objects in all namespaces").helpGroup(connection),
    new Option("-l, --selector <SELECTOR>", "objects with these labels").helpGroup(connection),
    new Option("--as <USER>", "user to impersonate").helpGroup(connection),
    new Option("--as-group <GROUP>", "group to impersonate; repeatable")
      .argParser((value: string, all: readonly string[] | undefined) => [...(all ?? []), value])
      .helpGroup(connection),
    new Option("--request-timeout <DURATION>", "timeout of one request").default("10s").helpGroup(connection),
    new Option("-v, --verbose", "print each request and its duration to standard error").helpGroup(
      connection,
    ),
  ];
}

/** How a document is written; the first format is the default. */
export function outputOptions(outputs: ClusterCommand["outputs"]): readonly Option[] {
  return [
    new Option("-o, --output <FORMAT>", "output format")
      .choices(outputs)
      .default(outputs[0])
      .helpGroup(output),
    new Option("--no-headers", "omit the headings of tables").helpGroup(output),
    new Option("--color <WHEN>", "when to use colors; NO_COLOR turns them off")
      .choices(["auto", "always", "never"])
      .default("auto")
      .helpGroup(output),
  ];
}

function endpointOptions(): readonly Option[] {
  return [
    new Option("--via <WAY>", "how to reach the autoscaler's decisions; none recomputes them")
      .choices(["auto", "apiservice", "port-forward", "server", "none"])
      .default("auto")
      .helpGroup(endpoint),
    new Option("--server <URL>", "address of the decisions endpoint, with --via server").helpGroup(endpoint),
    new Option("--ca-file <FILE>", "CA bundle for the certificate of --server").helpGroup(endpoint),
    new Option(
      "--endpoint-namespace <NAME>",
      "namespace of the autoscaler's lease, with --via port-forward (default: plimsoll, then kube-system)",
    ).helpGroup(endpoint),
    new Option("--send-token <WHEN>", "whether to send your bearer token to the autoscaler")
      .choices(["auto", "never"])
      .default("auto")
      .helpGroup(endpoint),
  ];
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
