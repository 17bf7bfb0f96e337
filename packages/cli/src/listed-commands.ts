// What the help lists of each command: its module is loaded when the command is typed.
import type { Command } from "commander";
import type { CliSeams, ExitCode } from "./seams.ts";

type MakeCommand = (seams: CliSeams, done: (result: ExitCode) => void) => Command;

export interface ListedCommand {
  readonly name: string;
  /** Name and arguments, as the help lists them. */
  readonly term: string;
  /** What the list of commands says; the help of the command says more. */
  readonly summary: string;
  /** The heading under which the help lists it. */
  readonly group: string;
  /** Without the name of the program. */
  readonly examples: readonly [string, ...string[]];
  readonly load: () => Promise<MakeCommand>;
}

const why = "Find out why:";
const tries = "Try a change first:";
const adapter = "Metrics adapter:";
const moves = "Move to Plimsoll and back:";
export const other = "Other:";

/** The former name of a command still works. */
export const formerNames: ReadonlyMap<string, string> = new Map([["release", "rollback"]]);

export const listedCommands: readonly ListedCommand[] = [
  {
    name: "explain",
    term: "explain <OBJECT>",
    group: why,
    summary: "Show why a workload has its replicas",
    examples: ["explain web -n shop", "explain web -n shop --why-not 14"],
    load: async () => (await import("./commands/explain/command.ts")).explainCommand,
  },
  {
    name: "status",
    term: "status [OBJECT...]",
    group: why,
    summary: "List autoscalers and what decides their replicas",
    examples: ["status -A --problem", "status -A --watch"],
    load: async () => (await import("./commands/status/command.ts")).statusCommand,
  },
  {
    name: "doctor",
    term: "doctor [OBJECT...]",
    group: why,
    summary: "Find mistakes in autoscalers, with fixes",
    examples: ["doctor -A", "doctor -f hpa.yaml"],
    load: async () => (await import("./commands/doctor/command.ts")).doctorCommand,
  },
  {
    name: "console",
    term: "console",
    group: why,
    summary: "Open a web page about a cluster's autoscalers",
    examples: ["console"],
    load: async () => (await import("./commands/console/command.ts")).consoleCommand,
  },
  {
    name: "watch",
    term: "watch <OBJECT>",
    group: why,
    summary: "Print a line for each new decision",
    examples: ["watch web -n shop"],
    load: async () => (await import("./commands/watch/command.ts")).watchCommand,
  },
  {
    name: "bundle",
    term: "bundle [OBJECT]",
    group: why,
    summary: "Save everything for a problem report in one file",
    examples: ["bundle web -n shop --out report.tgz"],
    load: async () => (await import("./commands/bundle/command.ts")).bundleCommand,
  },
  {
    name: "simulate",
    term: "simulate <FILE|OBJECT>",
    group: tries,
    summary: "Simulate autoscalers under a load",
    examples: ["simulate evening-peak.yaml", "simulate web -n shop --set spec.maxReplicas=60"],
    load: async () => (await import("./commands/simulate/command.ts")).simulateCommand,
  },
  {
    name: "backtest",
    term: "backtest [FILE|OBJECT...]",
    group: tries,
    summary: "Check our rules against what an autoscaler did",
    examples: ["backtest web -n shop --prometheus-url http://localhost:9090 --since 7d"],
    load: async () => (await import("./commands/backtest/command.ts")).backtestCommand,
  },
  {
    name: "tune",
    term: "tune [OBJECT]",
    group: tries,
    summary: "Search for a spec that costs less",
    examples: ["tune web -n shop --prometheus-url http://localhost:9090 --objective utilization=85%"],
    load: async () => (await import("./commands/tune/command.ts")).tuneCommand,
  },
  {
    name: "schedule",
    term: "schedule",
    group: tries,
    summary: "Preview schedules",
    examples: ["schedule preview autoscaler.yaml --days 14"],
    load: async () => (await import("./commands/schedule/command.ts")).scheduleCommand,
  },
  {
    name: "replay",
    term: "replay <FILE...>",
    group: tries,
    summary: "Repeat recorded decisions, also with other values",
    examples: ["replay decision.json --set spec.maxReplicas=60"],
    load: async () => (await import("./commands/replay/command.ts")).replayCommand,
  },
  {
    name: "metrics",
    term: "metrics",
    group: adapter,
    summary: "Find a metric to scale on, and set it up",
    examples: ["metrics setup web -n shop --prometheus-url http://localhost:9090"],
    load: async () => (await import("./commands/metrics/command.ts")).metricsCommand,
  },
  {
    name: "rules",
    term: "rules",
    group: adapter,
    summary: "Check, query, and test rules",
    examples: ["rules check rules.yaml", "rules query packets-per-second", "rules test rules_test.yaml"],
    load: async () => (await import("./commands/rules/command.ts")).rulesCommand,
  },
  {
    name: "federation",
    term: "federation",
    group: adapter,
    summary: "Plan how to serve other metrics adapters",
    examples: ["federation plan"],
    load: async () => (await import("./commands/federation/command.ts")).federationCommand,
  },
  {
    name: "convert",
    term: "convert <FILE...>",
    group: moves,
    summary: "Convert autoscalers to WorkloadAutoscalers",
    examples: ["convert hpa.yaml", "convert values values.yaml"],
    load: async () => (await import("./commands/convert/command.ts")).convertCommand,
  },
  {
    name: "cronhpa",
    term: "cronhpa",
    group: moves,
    summary: "Check CronHorizontalPodAutoscalers",
    examples: ["cronhpa lint cronhpa.yaml"],
    load: async () => (await import("./commands/cronhpa/command.ts")).cronHpaCommand,
  },
  {
    name: "shadow",
    term: "shadow [OBJECT]",
    group: moves,
    summary: "Compare our decisions with the controller's",
    examples: ["shadow -A"],
    load: async () => (await import("./commands/shadow/command.ts")).shadowCommand,
  },
  {
    name: "rollback",
    term: "rollback",
    group: moves,
    summary: "Plan how to go back to the built-in controller",
    examples: ["rollback plan"],
    load: async () => (await import("./commands/release/command.ts")).rollbackCommand,
  },
  {
    name: "completion",
    term: "completion",
    group: other,
    summary: "Print the program that completes kubectl plimsoll",
    examples: ["completion --install ~/.local/bin"],
    load: async () => (await import("./commands/completion/command.ts")).completionCommand,
  },
  {
    name: "version",
    term: "version",
    group: other,
    summary: "Print versions",
    examples: ["version"],
    load: async () => (await import("./commands/version/command.ts")).versionCommand,
  },
];
