// Metrics of MetricRules.
import type { Gauge, Registry } from "prom-client";
import type { RuleTelemetry } from "../backends/metric-rules/serve-rule.ts";
import { define } from "./counter.ts";

interface Counts {
  readonly accepted: number;
  readonly refused: number;
}

export function createRuleTelemetry(
  registry: Registry | undefined,
  counts: { readonly rules: () => Counts; readonly queries: () => Counts },
): Pick<RuleTelemetry, "served"> {
  const { plainCounter, sampled } = define(registry === undefined ? [] : [registry]);
  sampled("plimsoll_adapter_metric_rules", "MetricRules, accepted or not.", ["state"], (gauge) =>
    setStates(gauge, counts.rules()),
  );
  sampled(
    "plimsoll_adapter_autoscaler_queries",
    "Queries of WorkloadAutoscalers, accepted or not.",
    ["state"],
    (gauge) => setStates(gauge, counts.queries()),
  );
  const requests = plainCounter(
    "plimsoll_adapter_metric_rule_requests_total",
    "Requests for MetricRules and queries, without cached responses.",
    ["api", "outcome"],
    ["custom", "external"].flatMap((api) => ["ok", "failed"].map((outcome) => [api, outcome])),
  );
  return { served: (api, outcome) => requests.add(api, outcome) };
}

function setStates(gauge: Gauge<"state">, { accepted, refused }: Counts): void {
  gauge.set({ state: "accepted" }, accepted);
  gauge.set({ state: "refused" }, refused);
}
