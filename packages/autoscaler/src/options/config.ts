// Compiles the flags of the autoscaler into its configuration.
import { createZones } from "@plimsoll/calendars";
import { createFlagReader, flagWarnings } from "@plimsoll/component-base/flags";
import type { LogLevel } from "@plimsoll/component-base/logger";
import type { ControllerOptions } from "@plimsoll/core";
import type { BudgetConfig } from "../budget/budget.ts";
import { type CoordinationConfig, shortened } from "../leadership/coordination.ts";
import type { ManageHpas } from "../objects/ownership.ts";
import type { CronHpaSettings } from "../schedules/cronhpa/controller.ts";
import type { ServingConfig } from "../server/serving.ts";
import type { ObjectMetrics } from "../telemetry/object-telemetry.ts";
import type { CommandLine } from "./command-line.ts";
import { type FlagName, type Flags, flags } from "./flags.ts";
import { compileServing, type ServingSurroundings } from "./serving.ts";
import { problem, wording } from "./wording.ts";

/** What the autoscaler runs with: every value checked, units in the names. */
export interface AutoscalerConfig
  extends Omit<
    ControllerOptions,
    "adoptsFromZero" | "upscaleForbiddenWindowMs" | "downscaleForbiddenWindowMs"
  > {
  /** Empty means all. */
  readonly namespaces: readonly string[];
  readonly manageHpas: ManageHpas;
  readonly syncPeriodMs: number;
  /** Of WorkloadAutoscalers with a period of their own. */
  readonly minSyncPeriodMs: number;
  /** No scale-up for so long after a scale; 0 is off. */
  readonly upscaleDelayMs: number;
  /** No scale-down for so long after a scale; 0 is off. */
  readonly downscaleDelayMs: number;
  readonly concurrentSyncs: number;
  readonly coordination: CoordinationConfig;
  readonly watchScaleTargets: boolean;
  /** Undefined: CronHorizontalPodAutoscalers are left alone. */
  readonly cronHpa: CronHpaSettings | undefined;
  /** Where the calendars are that schedules may name. */
  readonly calendarDirectory: string | undefined;
  readonly requestTimeoutMs: number;
  readonly decisionHistory: number;
  /** Whether the inputs of decisions are kept. */
  readonly decisionInputs: "newest" | "none";
  /** Undefined: no records are written. */
  readonly recordInputs: { readonly directory: string; readonly maxBytes: number } | undefined;
  readonly objectMetrics: ObjectMetrics;
  readonly budget: BudgetConfig;
  readonly serving: ServingConfig;
}

/** What only the process needs. */
export interface ProcessConfig {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly logLevel: LogLevel;
}

export type CompiledConfig =
  | {
      readonly ok: true;
      readonly config: AutoscalerConfig;
      readonly processConfig: ProcessConfig;
      readonly warnings: readonly string[];
    }
  | { readonly ok: false; readonly problems: readonly string[] };

/** What the flags leave open: the pod's own namespace and address, and the time zone of the process. */
export interface Surroundings extends ServingSurroundings {
  readonly podNamespace?: string | undefined;
  readonly timeZone?: string;
}

/** Turns the command line into a config, or into all problems that it has. */
export function compileConfig(line: CommandLine, surroundings: Surroundings = {}): CompiledConfig {
  const read = createFlagReader(flags, line, wording);
  const scope = { namespaces: namespaces(read), manageHpas: read.choice("manage-hpas") };
  const syncPeriodMs = durationMs(read, "horizontal-pod-autoscaler-sync-period", 100);
  const config: AutoscalerConfig = {
    ...scope,
    syncPeriodMs,
    minSyncPeriodMs: durationMs(read, "min-sync-period", 1000),
    downscaleStabilizationMs: downscaleStabilizationMs(read),
    upscaleDelayMs: durationMs(read, "horizontal-pod-autoscaler-upscale-delay", 0),
    downscaleDelayMs: durationMs(read, "horizontal-pod-autoscaler-downscale-delay", 0),
    tolerance: read.number("horizontal-pod-autoscaler-tolerance", { min: 0 }),
    semantics: read.choice("semantics"),
    scaleToZero: read.boolean("scale-to-zero"),
    cpuInitializationPeriodMs: durationMs(read, "horizontal-pod-autoscaler-cpu-initialization-period", 0),
    initialReadinessDelayMs: durationMs(read, "horizontal-pod-autoscaler-initial-readiness-delay", 0),
    concurrentSyncs: read.integer("concurrent-horizontal-pod-autoscaler-syncs", { min: 1, max: 10_000 }),
    coordination: coordination(read, surroundings, syncPeriodMs),
    watchScaleTargets: read.boolean("watch-scale-targets"),
    cronHpa: cronHpa(read, surroundings),
    calendarDirectory: read.string("calendar-directory"),
    requestTimeoutMs: durationMs(read, "request-timeout", 1),
    decisionHistory: read.integer("decision-history", { min: 1, max: 10_000 }),
    decisionInputs: read.choice("decision-inputs"),
    recordInputs: recordInputs(read),
    objectMetrics: objectMetrics(read),
    budget: budget(read),
    serving: compileServing(read, surroundings),
  };
  const processConfig: ProcessConfig = {
    kubeconfig: read.string("kubeconfig"),
    context: read.string("context"),
    logLevel: read.choice("log-level"),
  };
  if (read.problems.length > 0) return { ok: false, problems: read.problems };
  return { ok: true, config, processConfig, warnings: flagWarnings(flags, line) };
}

function objectMetrics(read: Flags): ObjectMetrics {
  const chosen = read.choice("object-metrics");
  if (chosen === "true") return "all";
  return chosen === "false" ? "none" : chosen;
}

function recordInputs(read: Flags): AutoscalerConfig["recordInputs"] {
  const directory = read.string("record-inputs");
  const mebibytes = read.integer("record-inputs-size", { min: 16, max: 1_048_576 });
  return directory === undefined ? undefined : { directory, maxBytes: mebibytes * 1024 * 1024 };
}

function durationMs(read: Flags, name: FlagName, minMs: number): number {
  return read.durationMs(name, { minMs }) ?? 0;
}

function downscaleStabilizationMs(read: Flags): number {
  const older = "horizontal-pod-autoscaler-downscale-stabilization-window";
  const name = "horizontal-pod-autoscaler-downscale-stabilization";
  return durationMs(read, read.isSet(older) && !read.isSet(name) ? older : name, 0);
}

function coordination(read: Flags, { podNamespace }: Surroundings, syncPeriodMs: number): CoordinationConfig {
  const shards = read.integer("shards", { min: 1, max: 1024 });
  const leases = {
    leaseDurationMs: durationMs(read, "leader-elect-lease-duration", 1000),
    renewDeadlineMs: durationMs(read, "leader-elect-renew-deadline", 1),
    retryPeriodMs: durationMs(read, "leader-elect-retry-period", 1),
    resourceName: read.string("leader-elect-resource-name") ?? "",
    resourceNamespace: read.string("leader-elect-resource-namespace") ?? podNamespace ?? "kube-system",
  };
  const refuseLength = (name: FlagName, limit: FlagName): void => {
    read.problems.push(problem(name, read.string(name), `is too long: use less than --${limit}`));
  };
  if (leases.leaseDurationMs <= leases.renewDeadlineMs)
    refuseLength("leader-elect-renew-deadline", "leader-elect-lease-duration");
  if (leases.renewDeadlineMs <= leases.retryPeriodMs)
    refuseLength("leader-elect-retry-period", "leader-elect-renew-deadline");
  const isElected = read.boolean("leader-elect");
  if (shards > 1) return { mode: "shards", shards, ...shortened(leases, syncPeriodMs) };
  return isElected ? { mode: "leader", ...leases } : { mode: "alone" };
}

function cronHpa(read: Flags, surroundings: Surroundings): CronHpaSettings | undefined {
  const name = "cron-hpa-time-zone";
  const timeZone = read.string(name) ?? surroundings.timeZone ?? "UTC";
  if (createZones()(timeZone) === undefined) {
    const reason = 'is not a time zone: use a name such as "Europe/Berlin" or "UTC"';
    read.problems.push(problem(name, read.string(name), reason));
  }
  const settings = {
    timeZone,
    bounds: read.choice("cron-hpa-bounds"),
    missedRunsMs: durationMs(read, "cron-hpa-missed-runs", 0),
  };
  return read.boolean("cron-hpa") ? settings : undefined;
}

function budget(read: Flags): BudgetConfig {
  return {
    scaleReadsAtOnce: read.integer("concurrent-scale-reads", { min: 1, max: 10_000 }),
    metricsReadsAtOnce: read.integer("concurrent-metrics-reads", { min: 1, max: 10_000 }),
    writes: {
      atOnce: read.integer("concurrent-writes", { min: 2, max: 10_000 }),
      writesPerSecond: read.integer("kube-api-write-qps", { min: 1, max: 100_000 }),
      refreshesPerSecond: read.integer("kube-api-status-refresh-qps", { min: 1, max: 100_000 }),
    },
  };
}

function namespaces(read: Flags): readonly string[] {
  const names = read.strings("namespace");
  for (const name of names) {
    if (/^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/.test(name)) continue;
    const reason =
      "is not a namespace name: use lower-case letters, digits and dashes; repeat the flag for several namespaces";
    read.problems.push(problem("namespace", name, reason));
  }
  return [...new Set(names)];
}

/** The options of every decision, from the flags. */
export function controllerOptions(config: AutoscalerConfig): ControllerOptions {
  return {
    tolerance: config.tolerance,
    cpuInitializationPeriodMs: config.cpuInitializationPeriodMs,
    initialReadinessDelayMs: config.initialReadinessDelayMs,
    downscaleStabilizationMs: config.downscaleStabilizationMs,
    upscaleForbiddenWindowMs: config.upscaleDelayMs,
    downscaleForbiddenWindowMs: config.downscaleDelayMs,
    scaleToZero: config.scaleToZero,
    semantics: config.semantics,
  };
}
