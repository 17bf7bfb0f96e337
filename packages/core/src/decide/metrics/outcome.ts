import type { MetricStatus } from "../../objects/status.ts";
import type { MetricTrace } from "../../objects/trace/metric.ts";

/** The result of evaluating one metric. */
export type MetricOutcome =
  | {
      readonly ok: true;
      readonly replicas: number;
      /** Upstream's name of the metric, for reasons and messages. */
      readonly name: string;
      readonly status: MetricStatus;
      readonly trace: TraceParts;
    }
  | {
      readonly ok: false;
      readonly name: string;
      /** Reason of the condition and of the event. */
      readonly reason: string;
      /** Text of the event, and of the condition after its lead-in. */
      readonly message: string;
      /** The error as it is passed up. */
      readonly error: string;
      /** The specification itself is wrong. */
      readonly isSpecError: boolean;
      readonly trace: TraceParts;
    };

export type TraceParts = Omit<
  MetricTrace,
  "kind" | "index" | "type" | "name" | "replicas" | "error" | "currentReplicas"
>;

export function failedMetric(
  failure: Omit<Extract<MetricOutcome, { ok: false }>, "ok" | "isSpecError" | "trace">,
  trace: TraceParts = {},
): MetricOutcome {
  return { ok: false, isSpecError: false, ...failure, trace };
}
