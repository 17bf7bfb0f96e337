// Metrics of MetricRules.
import { Gauge, type Registry } from "prom-client";
import type { RuleTelemetry } from "../backends/metric-rules/serve-rule.ts";
import { createPlainCounter } from "./counter.ts";

interface Counts {
  readonly accepted: number;
  readonly refused: number;
}

export function createRuleTelemetry(
  registry: Registry | undefined,
  counts: { readonly rules: () => Counts; readonly queries: () => Counts },
): Pick<RuleTelemetry, "served"> {
  const registers = registry === undefined ? [] : [registry];
  const rules = new Gauge({
    name: "plimsoll_adapter_metric_rules",
    help: "MetricRules, accepted or not.",
    labelNames: ["state"],
    registers,
    collect: (): void => setStates(rules, counts.rules()),
  });
  const queries = new Gauge({
    name: "plimsoll_adapter_autoscaler_queries",
    help: "Queries of WorkloadAutoscalers, accepted or not.",
    labelNames: ["state"],
    registers,
    collect: (): void => setStates(queries, counts.queries()),
  });
  const requests = createPlainCounter({
    name: "plimsoll_adapter_metric_rule_requests_total",
    help: "Requests for MetricRules and queries, without cached responses.",
    labelNames: ["api", "outcome"],
    registers,
    known: [
      ["custom", "ok"],
      ["custom", "failed"],
      ["external", "ok"],
      ["external", "failed"],
    ],
  });
  return { served: (api, outcome) => requests.add(api, outcome) };
}

function setStates(gauge: Gauge<"state">, { accepted, refused }: Counts): void {
  gauge.set({ state: "accepted" }, accepted);
  gauge.set({ state: "refused" }, refused);
}
