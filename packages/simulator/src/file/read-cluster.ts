// Reads what a file says of the controller, of scraping and of nodes.
import { type ControllerOptions, semanticsProfiles } from "@plimsoll/core";
import type { Controller, NodePool, Scraping } from "../scenario.ts";
import type { Section } from "./section.ts";

/** The controller; what is absent is as kube-controller-manager has it. */
export function readController(section: Section): Controller {
  const syncPeriodMs = section.duration("syncPeriod", "15s");
  if (syncPeriodMs === 0) section.problem("syncPeriod", "is zero", "use a value such as 15s");
  const firstSyncMs = section.has("firstSync") ? section.duration("firstSync") : undefined;
  const options: ControllerOptions = {
    tolerance: section.amount("tolerance", 0.1),
    cpuInitializationPeriodMs: section.duration("cpuInitializationPeriod", "5m"),
    initialReadinessDelayMs: section.duration("initialReadinessDelay", "30s"),
    downscaleStabilizationMs: section.duration("downscaleStabilization", "5m"),
    scaleToZero: section.choice("scaleToZero", ["true", "false"], "true") === "true",
    semantics: section.choice("semantics", semanticsProfiles, "1.37"),
    upscaleForbiddenWindowMs: section.duration("upscaleDelay", "0s"),
    downscaleForbiddenWindowMs: section.duration("downscaleDelay", "0s"),
  };
  const controller: Controller = {
    syncPeriodMs: syncPeriodMs === 0 ? 15_000 : syncPeriodMs,
    slipMs: section.duration("slip", "20ms"),
    reactionMs: section.duration("reaction", "200ms"),
    ...(firstSyncMs === undefined ? {} : { firstSyncMs }),
    options,
  };
  section.close();
  return controller;
}

/** How metrics reach the autoscaler. */
export function readScraping(section: Section): Scraping {
  const scraping: Scraping = {
    intervalMs: section.duration("interval", "15s"),
    failures: section.part("failures", "0%"),
    cacheAgeMs: section.duration("cacheAge", "0s"),
    promql: section.choice("promql", ["3", "2"], "3"),
    lookbackMs: section.duration("lookback", "5m"),
    resourceIntervalMs: section.duration("resourceInterval", "15s"),
  };
  const [min, max] = [1000, 86_400_000];
  if (scraping.intervalMs < min) section.problem("interval", "is below 1 second", "use a value such as 15s");
  if (scraping.resourceIntervalMs < min)
    section.problem("resourceInterval", "is below 1 second", "use a value such as 15s");
  if (scraping.lookbackMs > max)
    section.problem("lookback", "is longer than 1 day", "use a value such as 5m");
  section.close();
  return {
    ...scraping,
    intervalMs: Math.max(min, scraping.intervalMs),
    resourceIntervalMs: Math.max(min, scraping.resourceIntervalMs),
  };
}

/** The nodes. */
export function readNodes(section: Section): NodePool {
  const [cpu, memory] = [section.quantity("cpu"), section.quantity("memory")];
  const initial = section.count("initial", { min: 0, usual: 1 });
  const pool: NodePool = {
    podsPerNode: section.count("podsPerNode", { min: 1, usual: 110 }),
    ...(cpu === undefined ? {} : { cpu }),
    ...(memory === undefined ? {} : { memory }),
    initial,
    max: section.count("max", { min: 1, usual: Math.max(1, initial) }),
    provisioning: section.delay("provisioning", "90s"),
    removeAfterMs: section.duration("removeAfter", "10m"),
  };
  if (pool.max < initial) section.problem("max", "is below initial", "raise it, or lower the other");
  if (cpu === 0) section.problem("cpu", "is zero", "set the cores of a node");
  if (memory === 0) section.problem("memory", "is zero", "set the memory of a node");
  section.close();
  return pool;
}
