// What the help lists of each command: its module is loaded when the command is typed.
import type { Command } from "commander";
import type { CliSeams, ExitCode } from "./seams.ts";

type MakeCommand = (seams: CliSeams, done: (result: ExitCode) => void) => Command;

export interface ListedCommand {
  readonly name: string;
  /** Name, options and arguments, as the help shows them. */
  readonly term: string;
  readonly description: string;
  readonly load: () => Promise<MakeCommand>;
}

export const listedCommands: readonly ListedCommand[] = [
  {
    name: "explain",
    term: "explain [options] <OBJECT>",
    description:
      "Explains why an autoscaler keeps or changes the replicas of its target, what would change that, and when.",
    load: async () => (await import("./explain/command.ts")).explainCommand,
  },
  {
    name: "status",
    term: "status [options] [OBJECT...]",
    description: "Lists autoscalers: the replicas they have and want, what decides, and what holds them.",
    load: async () => (await import("./status/command.ts")).statusCommand,
  },
  {
    name: "top",
    term: "top [options]",
    description:
      "Shows the list of status on the whole terminal, again and again. Keys: arrows move, / filters, s sorts, enter explains, q ends. Off a terminal it is printed once.",
    load: async () => (await import("./top/command.ts")).topCommand,
  },
  {
    name: "watch",
    term: "watch [options] <OBJECT>",
    description: "Writes a line for each decision about an autoscaler that differs from the one before.",
    load: async () => (await import("./watch/command.ts")).watchCommand,
  },
  {
    name: "shadow",
    term: "shadow [options] [OBJECT]",
    description:
      "Compares the decisions of an autoscaler in shadow with those of the controller that manages the objects.",
    load: async () => (await import("./shadow/command.ts")).shadowCommand,
  },
  {
    name: "rules",
    term: "rules",
    description: "Rules files of the metrics adapter.",
    load: async () => (await import("./rules/command.ts")).rulesCommand,
  },
  {
    name: "convert",
    term: "convert [options] <FILE...>",
    description:
      "Writes WorkloadAutoscalers that do what the autoscalers in the files do. Ends with 1, and writes none, when one of them has a problem.",
    load: async () => (await import("./convert/command.ts")).convertCommand,
  },
  {
    name: "release",
    term: "release",
    description: "Gives a cluster back to the built-in controller and prometheus-adapter.",
    load: async () => (await import("./release/command.ts")).releaseCommand,
  },
  {
    name: "federation",
    term: "federation",
    description: "Other metrics adapters behind the APIServices of ours.",
    load: async () => (await import("./federation/command.ts")).federationCommand,
  },
  {
    name: "cronhpa",
    term: "cronhpa",
    description: "CronHorizontalPodAutoscalers of kubernetes-cronhpa-controller.",
    load: async () => (await import("./cronhpa/command.ts")).cronHpaCommand,
  },
  {
    name: "schedule",
    term: "schedule",
    description: "Schedules of WorkloadAutoscalers.",
    load: async () => (await import("./schedule/command.ts")).scheduleCommand,
  },
  {
    name: "replay",
    term: "replay [options] <FILE...>",
    description:
      "Decides again from decision records. Without --set and --semantics the recorded decision must come out, to the byte: it ends with 2 and the first difference otherwise. With them it shows what changes, step by step.",
    load: async () => (await import("./replay/command.ts")).replayCommand,
  },
  {
    name: "simulate",
    term: "simulate [options] <FILE|OBJECT>",
    description:
      "Shows what autoscalers would do. A scenario file says the load, the pods and the cluster, and each autoscaler is one column of the report; it ends with 2 when something that the file expects is false. An object of a cluster goes on from its newest decision.",
    load: async () => (await import("./simulate/command.ts")).simulateCommand,
  },
  {
    name: "backtest",
    term: "backtest [options] [FILE|OBJECT...]",
    description:
      "Says how far the rules reproduce what an autoscaler did: recorded inputs are decided again, with a memory of our own from one to the next. Ends with 2 when fewer steps agree than --require, or one is unexplained.",
    load: async () => (await import("./backtest/command.ts")).backtestCommand,
  },
  {
    name: "tune",
    term: "tune [options] [OBJECT]",
    description:
      "Searches for a specification that costs less and keeps the objective, and checks it on days it was not chosen on. Keep what you have is an answer, too. Ends with 2 when there are too few days, or the recorded autoscaler is simulated too badly.",
    load: async () => (await import("./tune/command.ts")).tuneCommand,
  },
  {
    name: "doctor",
    term: "doctor [options] [OBJECT...]",
    description:
      "Finds what is wrong with HorizontalPodAutoscalers and WorkloadAutoscalers, with evidence and fix. Nothing is written to the cluster. Ends with 2 when there is a finding of --fail-on or above.",
    load: async () => (await import("./doctor/command.ts")).doctorCommand,
  },
  {
    name: "console",
    term: "console [options]",
    description:
      "Opens a web page about the autoscalers of a cluster, served by this program to this machine only, with the rights of your kubeconfig. Nothing is written to the cluster.",
    load: async () => (await import("./console/command.ts")).consoleCommand,
  },
  {
    name: "bundle",
    term: "bundle [options] [OBJECT]",
    description:
      "Writes everything about autoscalers into one file, for a report of a problem: objects, scales, events, metrics, decisions, findings, logs. No Secrets, values of environments, foreign annotations or tokens; what may not be read is listed in missing.txt.",
    load: async () => (await import("./bundle/command.ts")).bundleCommand,
  },
  {
    name: "completion",
    term: "completion [options]",
    description:
      'Writes the program kubectl_complete-plimsoll, by which kubectl completes "kubectl plimsoll".',
    load: async () => (await import("./completion/command.ts")).completionCommand,
  },
  {
    name: "version",
    term: "version [options]",
    description: "Writes the version of this program, of the rules by which it decides, and of its runtime.",
    load: async () => (await import("./version/command.ts")).versionCommand,
  },
];
