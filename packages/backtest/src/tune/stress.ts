// Days that are harder than they were.
import type { Delay, Load, Scenario, Workload } from "@plimsoll/simulator";
import type { Stress } from "./evaluate.ts";

/** The same scenario where nothing is harder. */
export function withStress(
  scenario: Scenario,
  { load = 1, startUp = 1, failedScrapes = 0 }: Stress,
): Scenario {
  if (load === 1 && startUp === 1 && failedScrapes === 0) return scenario;
  const { scraping } = scenario;
  return {
    ...scenario,
    scraping: { ...scraping, failures: Math.max(scraping.failures, failedScrapes) },
    workloads: scenario.workloads.map((workload) => harder(workload, load, startUp)),
  };
}

function harder(workload: Workload, factor: number, startUp: number): Workload {
  const { load, pod, recorded = {} } = workload;
  const totals = Object.entries(recorded).map(([name, total]) => {
    const values = total.values.map((value) => value * factor);
    return [name, { ...total, values }] as const;
  });
  const { schedule, pull, ready } = pod.start;
  const start = {
    ...pod.start,
    schedule: slower(schedule, startUp),
    pull: slower(pull, startUp),
    ready: slower(ready, startUp),
  };
  return {
    ...workload,
    load: more(load, factor),
    pod: { ...pod, start },
    recorded: Object.fromEntries(totals),
  };
}

function more(load: Load, factor: number): Load {
  switch (load.kind) {
    case "constant":
      return { ...load, perSecond: load.perSecond * factor };
    case "points":
    case "profile":
      return { ...load, perSecond: load.perSecond.map((one) => one * factor) };
    case "sine":
      return { ...load, mean: load.mean * factor, amplitude: load.amplitude * factor };
    case "spike":
      return { ...load, height: load.height * factor };
    case "sum":
      return { ...load, parts: load.parts.map((part) => more(part, factor)) };
    case "noise":
    case "poisson":
      return { ...load, of: more(load.of, factor) };
  }
}

function slower(delay: Delay, factor: number): Delay {
  switch (delay.kind) {
    case "fixed":
      return { kind: "fixed", ms: delay.ms * factor };
    case "log-normal":
      return { kind: "log-normal", medianMs: delay.medianMs * factor, p95Ms: delay.p95Ms * factor };
    case "list":
      return { kind: "list", ms: delay.ms.map((ms) => ms * factor) };
  }
}
