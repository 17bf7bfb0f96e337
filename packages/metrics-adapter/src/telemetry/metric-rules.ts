// Metrics of MetricRules.
import { Gauge, type Registry } from "prom-client";
import type { RuleTelemetry } from "../backends/metric-rules/serve-rule.ts";
import { createPlainCounter } from "./counter.ts";

export function createRuleTelemetry(
  registry: Registry | undefined,
  counts: () => { readonly accepted: number; readonly refused: number },
): Pick<RuleTelemetry, "served"> {
  const registers = registry === undefined ? [] : [registry];
  const rules = new Gauge({
    name: "plimsoll_adapter_metric_rules",
    help: "MetricRules, by whether they are accepted.",
    labelNames: ["state"],
    registers,
    collect: () => {
      const { accepted, refused } = counts();
      rules.set({ state: "accepted" }, accepted);
      rules.set({ state: "refused" }, refused);
    },
  });
  const requests = createPlainCounter({
    name: "plimsoll_adapter_metric_rule_requests_total",
    help: "Requests for metrics of MetricRules, by API and outcome. Cached responses are not counted.",
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
