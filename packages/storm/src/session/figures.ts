// What a session of runs cost, and what happened in it.
import type { RunResult } from "../run/violation.ts";
import type { Scenario } from "../scenario/scenario.ts";

export interface Figures {
  /** Counts a run; returns its line. */
  add(scenario: Scenario, result: RunResult, cpuSeconds: number): string;
  summary(): string;
}

const hourMs = 3_600_000;

export function createFigures(): Figures {
  const faults = new Map<string, number>();
  const checks = new Map<string, number>();
  let runs = 0;
  let hours = 0;
  let cpu = 0;
  let failed = 0;

  return {
    add({ seed, setup, events }, result, cpuSeconds) {
      runs += 1;
      hours += result.simulatedMs / hourMs;
      cpu += cpuSeconds;
      if (result.violation !== undefined) failed += 1;
      addTo(faults, result.faults);
      addTo(checks, result.checks);
      return [
        `seed ${seed}: ${(result.simulatedMs / hourMs).toFixed(2)} simulated hours`,
        `${setup.autoscalers} autoscalers (${setup.coordination}), ${setup.adapters} adapters, ${setup.objects.length} objects`,
        `${events.length} events, ${result.requests} requests, ${result.steps} steps`,
        `${cpuSeconds.toFixed(2)} CPU seconds`,
        `trace ${result.hash.slice(0, 16)}`,
      ].join(", ");
    },
    summary() {
      const total = [...faults.values()].reduce((sum, count) => sum + count, 0);
      const speed = cpu > 0 ? Math.round((hours / cpu) * 3600) : 0;
      return [
        `${runs} runs, ${hours.toFixed(2)} simulated hours, ${cpu.toFixed(1)} CPU seconds: ${speed} simulated hours per hour of one core`,
        `${total} faults: ${listed(faults)}`,
        `checks: ${listed(checks)}`,
        `${runs - failed} passed, ${failed} failed`,
      ].join("\n");
    },
  };
}

function addTo(sums: Map<string, number>, counts: ReadonlyMap<string, number>): void {
  for (const [name, count] of counts) sums.set(name, (sums.get(name) ?? 0) + count);
}

function listed(counts: ReadonlyMap<string, number>): string {
  const sorted = [...counts].sort(([one], [other]) => (one < other ? -1 : 1));
  return sorted.map(([name, count]) => `${name} ${count}`).join(", ");
}
