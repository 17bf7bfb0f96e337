// Metrics of the backends. Every label has a fixed set of values: names are those of the configuration.
import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { FailureKind } from "./backend/answer.ts";

/** How a request to a backend ended. */
export type Outcome = FailureKind | "answered";

/** How a backend is, when metrics are collected. */
export interface BackendState {
  readonly name: string;
  readonly isOpen: boolean;
  readonly readAtMs: number | undefined;
  readonly metrics: number;
}

const outcomes: readonly Outcome[] = [
  "answered",
  "unreachable",
  "timeout",
  "refused",
  "busy",
  "open",
  "loop",
  "canceled",
];

/**
 * Counts what backends do.
 * @param read Called when metrics are collected.
 */
export function createFederationTelemetry(
  registry: Registry,
  backends: readonly string[],
  read: () => readonly BackendState[],
) {
  const registers = [registry];
  const requests = new Counter({
    name: "plimsoll_adapter_backend_requests_total",
    help: "Requests to the backend, by result.",
    labelNames: ["backend", "outcome"],
    registers,
  });
  for (const backend of backends) for (const outcome of outcomes) requests.inc({ backend, outcome }, 0);
  const durations = new Histogram({
    name: "plimsoll_adapter_backend_request_duration_seconds",
    help: "Duration of requests to the backend.",
    labelNames: ["backend"],
    buckets: [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
    registers,
  });
  createStateGauges(registers, read);
  const isSent = (outcome: Outcome): boolean => !["busy", "open", "loop"].includes(outcome);
  return {
    handedOn({
      backend,
      outcome,
      seconds,
    }: {
      readonly backend: string;
      readonly outcome: Outcome;
      readonly seconds: number;
    }): void {
      requests.inc({ backend, outcome });
      if (isSent(outcome)) durations.observe({ backend }, seconds);
    },
  };
}

function createStateGauges(registers: Registry[], read: () => readonly BackendState[]): void {
  type Label = "backend"[];
  const sampled = (name: string, help: string, labelNames: Label, of: (state: BackendState) => number) => {
    const collect = (): void => {
      for (const state of read()) gauge.set({ backend: state.name }, of(state));
    };
    const gauge: Gauge<"backend"> = new Gauge({ name, help, labelNames, registers, collect });
  };
  sampled(
    "plimsoll_adapter_backend_circuit_open",
    "1 while the backend doesn't respond.",
    ["backend"],
    ({ isOpen }) => (isOpen ? 1 : 0),
  );
  sampled(
    "plimsoll_adapter_backend_last_discovery_timestamp_seconds",
    "Time of the last list of the backend's metrics; 0 if never or too old.",
    ["backend"],
    ({ readAtMs = 0 }) => readAtMs / 1000,
  );
  sampled(
    "plimsoll_adapter_backend_metrics",
    "Metrics that the backend lists.",
    ["backend"],
    ({ metrics }) => metrics,
  );
}
