import { cronHpaBoundsPolicies } from "@plimsoll/core";
import type { BudgetConfig } from "../budget/budget.ts";
import { type CoordinationConfig, shortened } from "../coordination/coordination.ts";
import type { CronHpaSettings } from "../cronhpa/controller.ts";
import type { ServingConfig } from "../http/serving.ts";
import { createZones } from "../zone-offset.ts";
import { compileBudget } from "./budget-flags.ts";
import type { CommandLine } from "./command-line.ts";
import { type FlagName, flagTable } from "./flags.ts";
import { parseGoDuration } from "./go-duration.ts";
import { compileServing } from "./serving.ts";

export type ManageHpas = "none" | "annotated" | "all";
export type LogLevel = "trace" | "debug" | "info" | "warn" | "error" | "fatal" | "silent";

/** What the autoscaler runs with: every value checked, units in the names. */
export interface AutoscalerConfig {
  /** Empty means all. */
  readonly namespaces: readonly string[];
  readonly manageHpas: ManageHpas;
  readonly syncPeriodMs: number;
  readonly downscaleStabilizationMs: number;
  readonly tolerance: number;
  readonly cpuInitializationPeriodMs: number;
  readonly initialReadinessDelayMs: number;
  readonly concurrentSyncs: number;
  readonly coordination: CoordinationConfig;
  readonly watchScaleTargets: boolean;
  /** Undefined: CronHorizontalPodAutoscalers are left alone. */
  readonly cronHpa: CronHpaSettings | undefined;
  /** Where the calendars are that schedules may name. */
  readonly calendarDirectory: string | undefined;
  readonly requestTimeoutMs: number;
  readonly decisionHistory: number;
  readonly objectMetrics: boolean;
  readonly budget: BudgetConfig;
  readonly serving: ServingConfig;
}

/** What only the process needs. */
export interface ProcessConfig {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly logLevel: LogLevel;
}

export interface FlagProblem {
  readonly flag: string;
  readonly value?: string;
  readonly message: string;
  readonly remedy: string;
}

const manageModes: readonly ManageHpas[] = ["none", "annotated", "all"];
const logLevels: readonly LogLevel[] = ["trace", "debug", "info", "warn", "error", "fatal", "silent"];
const retiredDurations: readonly FlagName[] = [
  "horizontal-pod-autoscaler-upscale-delay",
  "horizontal-pod-autoscaler-downscale-delay",
];
const sampleDuration = 'write a Go duration such as "15s" or "1m30s"';

/** Turns the command line into a config, or into all that is wrong with it. */
export function compileConfig(
  line: CommandLine,
  o: { readonly podNamespace?: string | undefined; readonly timeZone?: string } = {},
):
  | { ok: true; config: AutoscalerConfig; processConfig: ProcessConfig; warnings: readonly string[] }
  | { ok: false; problems: readonly FlagProblem[] } {
  const problems: FlagProblem[] = [];
  for (const argument of unknownArguments(line.unknown)) problems.push(argument);
  for (const name of line.withoutValue) {
    problems.push({
      flag: `--${name}`,
      message: "has no value",
      remedy: `write --${name}=${placeholder(name)}`,
    });
  }

  const config: AutoscalerConfig = {
    namespaces: namespaces(),
    manageHpas: oneOf("manage-hpas", manageModes, "none"),
    syncPeriodMs: duration("horizontal-pod-autoscaler-sync-period", 100),
    downscaleStabilizationMs: downscaleStabilization(),
    tolerance: fraction("horizontal-pod-autoscaler-tolerance"),
    cpuInitializationPeriodMs: duration("horizontal-pod-autoscaler-cpu-initialization-period", 0),
    initialReadinessDelayMs: duration("horizontal-pod-autoscaler-initial-readiness-delay", 0),
    concurrentSyncs: integer("concurrent-horizontal-pod-autoscaler-syncs", 1, 10_000),
    coordination: coordination(),
    watchScaleTargets: oneOf("watch-scale-targets", ["true", "false"], "true") === "true",
    cronHpa: cronHpa(),
    calendarDirectory: text("calendar-directory"),
    requestTimeoutMs: duration("request-timeout", 1),
    decisionHistory: integer("decision-history", 1, 10_000),
    objectMetrics: oneOf("object-metrics", ["true", "false"], "true") === "true",
    budget: compileBudget(integer),
    serving: serving(),
  };
  for (const name of retiredDurations) if (line.given.has(name)) duration(name, 0);
  const processConfig: ProcessConfig = {
    kubeconfig: text("kubeconfig"),
    context: text("context"),
    logLevel: oneOf("log-level", logLevels, "info"),
  };
  if (problems.length > 0) return { ok: false, problems };
  return { ok: true, config, processConfig, warnings: warnings() };

  function report(name: FlagName, message: string, remedy: string): void {
    const value = text(name);
    problems.push({ flag: `--${name}`, ...(value === undefined ? {} : { value }), message, remedy });
  }

  function text(name: FlagName): string | undefined {
    return line.values.get(name)?.at(-1);
  }

  function duration(name: FlagName, leastMs: number): number {
    const ms = parseGoDuration(text(name) ?? "");
    if (ms === undefined) report(name, "is not a duration", sampleDuration);
    else if (ms < leastMs) report(name, "is too short", `use ${leastMs}ms or more`);
    return ms ?? 0;
  }

  function downscaleStabilization(): number {
    const older: FlagName = "horizontal-pod-autoscaler-downscale-stabilization-window";
    const name: FlagName = "horizontal-pod-autoscaler-downscale-stabilization";
    return duration(line.given.has(older) && !line.given.has(name) ? older : name, 0);
  }

  function integer(name: FlagName, least: number, most: number): number {
    const value = text(name) ?? "";
    const number = Number(value);
    if (!/^[+-]?\d+$/.test(value)) report(name, "is not a whole number", `use ${least} to ${most}`);
    else if (number < least || number > most) report(name, "is out of range", `use ${least} to ${most}`);
    return number;
  }

  function fraction(name: FlagName): number {
    const value = text(name) ?? "";
    const number = Number(value);
    if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(value)) {
      report(name, "is not a number", 'use a fraction such as "0.1"');
    } else if (number < 0 || !Number.isFinite(number)) {
      report(name, "is out of range", "use 0 or more");
    }
    return number;
  }

  function coordination(): CoordinationConfig {
    const shards = integer("shards", 1, 1024);
    const leases = {
      leaseDurationMs: duration("leader-elect-lease-duration", 1000),
      renewDeadlineMs: duration("leader-elect-renew-deadline", 1),
      retryPeriodMs: duration("leader-elect-retry-period", 1),
      resourceName: text("leader-elect-resource-name") ?? "",
      resourceNamespace: text("leader-elect-resource-namespace") ?? o.podNamespace ?? "kube-system",
    };
    if (leases.leaseDurationMs <= leases.renewDeadlineMs) {
      report("leader-elect-renew-deadline", "is too long", "use less than --leader-elect-lease-duration");
    }
    if (leases.renewDeadlineMs <= leases.retryPeriodMs) {
      report("leader-elect-retry-period", "is too long", "use less than --leader-elect-renew-deadline");
    }
    if (oneOf("leader-elect", ["true", "false"], "true") === "false" && shards === 1)
      return { mode: "alone" };
    if (shards === 1) return { mode: "leader", ...leases };
    const periodMs = parseGoDuration(text("horizontal-pod-autoscaler-sync-period") ?? "") ?? 15_000;
    return { mode: "shards", shards, ...shortened(leases, periodMs) };
  }

  function cronHpa(): CronHpaSettings | undefined {
    const timeZone = text("cron-hpa-time-zone") ?? o.timeZone ?? "UTC";
    if (createZones()(timeZone) === undefined)
      report("cron-hpa-time-zone", "is not a time zone", 'use a name such as "Europe/Berlin" or "UTC"');
    const settings = {
      timeZone,
      bounds: oneOf("cron-hpa-bounds", cronHpaBoundsPolicies, "Move"),
      missedRunsMs: duration("cron-hpa-missed-runs", 0),
    };
    return oneOf("cron-hpa", ["true", "false"], "false") === "true" ? settings : undefined;
  }

  function serving(): ServingConfig {
    return compileServing({
      text,
      report,
      port: (name) => integer(name, 0, 65_535),
      isInsecure: oneOf("insecure-decisions", ["true", "false"], "false") === "true",
    });
  }

  function oneOf<T extends string>(name: FlagName, allowed: readonly T[], otherwise: T): T {
    const value = text(name);
    const found = allowed.find((candidate) => candidate === value);
    if (found === undefined) report(name, "is not one of the choices", `use ${allowed.join(", ")}`);
    return found ?? otherwise;
  }

  function namespaces(): readonly string[] {
    const names = line.values.get("namespace") ?? [];
    for (const name of names) {
      if (/^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/.test(name)) continue;
      problems.push({
        flag: "--namespace",
        value: name,
        message: "is not a namespace name",
        remedy: "use lower-case letters, digits and dashes; repeat the flag for several namespaces",
      });
    }
    return [...new Set(names)];
  }

  function warnings(): readonly string[] {
    return flagTable
      .filter((flag) => flag.retired !== undefined && line.given.has(flag.name as FlagName))
      .map((flag) => `--${flag.name} is retired: ${flag.retired ?? ""}`);
  }
}

/** One line per problem: the flag, its value, what is wrong and what to do. */
export function problemLine(problem: FlagProblem): string {
  const value = problem.value === undefined ? "" : ` "${problem.value}"`;
  return `${problem.flag}${value} ${problem.message}: ${problem.remedy}`;
}

function unknownArguments(words: readonly string[]): readonly FlagProblem[] {
  return words.flatMap((word, index) => {
    if (word.startsWith("-")) {
      const flag = word.split("=")[0] ?? word;
      return [{ flag, message: "is not a flag", remedy: "see --help for the flags there are" }];
    }
    // What follows an unknown flag is most likely its value.
    const before = words[index - 1];
    if (before?.startsWith("-") === true && !before.includes("=")) return [];
    return [{ flag: `"${word}"`, message: "is not a flag", remedy: "flags start with --" }];
  });
}

function placeholder(name: FlagName): string {
  return flagTable.find((flag) => flag.name === name)?.value ?? "value";
}
