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

export const other = "Other:";

/** The former name of a command still works. */
export const formerNames: ReadonlyMap<string, string> = new Map([["release", "rollback"]]);

const groups: Readonly<Record<string, readonly Omit<ListedCommand, "name" | "group">[]>> = {
  "Find out why:": [
    {
      term: "explain <OBJECT>",
      summary: "Show why a workload has its replicas",
      examples: ["explain web -n shop", "explain web -n shop --why-not 14"],
      load: async () => (await import("./commands/explain/command.ts")).explainCommand,
    },
    {
      term: "status [OBJECT...]",
      summary: "List autoscalers and what decides their replicas",
      examples: ["status -A --problem", "status -A --watch"],
      load: async () => (await import("./commands/status/command.ts")).statusCommand,
    },
    {
      term: "doctor [OBJECT...]",
      summary: "Find mistakes in autoscalers, with fixes",
      examples: ["doctor -A", "doctor -f hpa.yaml"],
      load: async () => (await import("./commands/doctor/command.ts")).doctorCommand,
    },
    {
      term: "console",
      summary: "Open a web page about a cluster's autoscalers",
      examples: ["console"],
      load: async () => (await import("./commands/console/command.ts")).consoleCommand,
    },
    {
      term: "watch <OBJECT>",
      summary: "Print a line for each new decision",
      examples: ["watch web -n shop"],
      load: async () => (await import("./commands/watch/command.ts")).watchCommand,
    },
    {
      term: "bundle [OBJECT]",
      summary: "Save everything for a problem report in one file",
      examples: ["bundle web -n shop --out report.tgz"],
      load: async () => (await import("./commands/bundle/command.ts")).bundleCommand,
    },
  ],
  "Try a change first:": [
    {
      term: "simulate <FILE|OBJECT>",
      summary: "Simulate autoscalers under a load",
      examples: ["simulate evening-peak.yaml", "simulate web -n shop --set spec.maxReplicas=60"],
      load: async () => (await import("./commands/simulate/command.ts")).simulateCommand,
    },
    {
      term: "backtest [FILE|OBJECT...]",
      summary: "Check our rules against what an autoscaler did",
      examples: ["backtest web -n shop --prometheus-url http://localhost:9090 --since 7d"],
      load: async () => (await import("./commands/backtest/command.ts")).backtestCommand,
    },
    {
      term: "tune [OBJECT]",
      summary: "Search for a spec that costs less",
      examples: ["tune web -n shop --prometheus-url http://localhost:9090 --objective utilization=85%"],
      load: async () => (await import("./commands/tune/command.ts")).tuneCommand,
    },
    {
      term: "schedule",
      summary: "Preview schedules",
      examples: ["schedule preview autoscaler.yaml --days 14"],
      load: async () => (await import("./commands/schedule/command.ts")).scheduleCommand,
    },
    {
      term: "replay <FILE...>",
      summary: "Repeat recorded decisions, also with other values",
      examples: ["replay decision.json --set spec.maxReplicas=60"],
      load: async () => (await import("./commands/replay/command.ts")).replayCommand,
    },
  ],
  "Metrics adapter:": [
    {
      term: "metrics",
      summary: "Find a metric to scale on, and set it up",
      examples: ["metrics setup web -n shop --prometheus-url http://localhost:9090"],
      load: async () => (await import("./commands/metrics/command.ts")).metricsCommand,
    },
    {
      term: "rules",
      summary: "Check, query, and test rules",
      examples: ["rules check rules.yaml", "rules query packets-per-second", "rules test rules_test.yaml"],
      load: async () => (await import("./commands/rules/command.ts")).rulesCommand,
    },
    {
      term: "federation",
      summary: "Plan how to serve other metrics adapters",
      examples: ["federation plan"],
      load: async () => (await import("./commands/federation/command.ts")).federationCommand,
    },
  ],
  "Move to Plimsoll and back:": [
    {
      term: "convert <FILE...>",
      summary: "Convert autoscalers to WorkloadAutoscalers",
      examples: ["convert hpa.yaml", "convert values values.yaml"],
      load: async () => (await import("./commands/convert/command.ts")).convertCommand,
    },
    {
      term: "cronhpa",
      summary: "Check CronHorizontalPodAutoscalers",
      examples: ["cronhpa lint cronhpa.yaml"],
      load: async () => (await import("./commands/cronhpa/command.ts")).cronHpaCommand,
    },
    {
      term: "shadow [OBJECT]",
      summary: "Compare our decisions with the controller's",
      examples: ["shadow -A"],
      load: async () => (await import("./commands/shadow/command.ts")).shadowCommand,
    },
    {
      term: "rollback",
      summary: "Plan how to go back to the built-in controller",
      examples: ["rollback plan"],
      load: async () => (await import("./commands/release/command.ts")).rollbackCommand,
    },
  ],
  [other]: [
    {
      term: "completion",
      summary: "Print the program that completes kubectl plimsoll",
      examples: ["completion --install ~/.local/bin"],
      load: async () => (await import("./commands/completion/command.ts")).completionCommand,
    },
    {
      term: "version",
      summary: "Print versions",
      examples: ["version"],
      load: async () => (await import("./commands/version/command.ts")).versionCommand,
    },
  ],
};

export const listedCommands: readonly ListedCommand[] = Object.entries(groups).flatMap(([group, commands]) =>
  commands.map((command) => ({ ...command, name: command.term.split(" ")[0] ?? "", group })),
);
