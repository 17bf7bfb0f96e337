// The metrics of the shadow comparison.
import { Counter, Gauge, type Registry } from "prom-client";
import { labelsOfKey } from "../objects/scaling-object.ts";
import type { Agreement, ShadowResult } from "./agreement.ts";
import type { Difference } from "./difference.ts";

/** The comparison as metrics; series of an object go with it. */
export function createShadowTelemetry(registry: Registry) {
  const registers = [registry];
  const compared = new Counter({
    name: "plimsoll_shadow_compared_total",
    help: "Decisions in shadow, compared with the managing controller: agree, differ, or unsettled.",
    labelNames: ["result"],
    registers,
  });
  const differences = new Counter({
    name: "plimsoll_shadow_first_difference_total",
    help: "Different decisions, by the first different step.",
    labelNames: ["step"],
    registers,
  });
  const perObject = new Counter({
    name: "plimsoll_shadow_object_differences_total",
    help: "Different decisions, by object.",
    labelNames: ["namespace", "hpa_name", "kind"],
    registers,
  });
  return {
    result(key: string, result: ShadowResult, difference: Difference | undefined): void {
      compared.inc({ result });
      if (result !== "differ") return;
      perObject.inc(labelsOfKey(key));
      differences.inc({ step: difference?.step ?? "result" });
    },
    drop(key: string): void {
      perObject.remove(labelsOfKey(key));
    },
  };
}

/** The share of all objects together. */
export function registerAgreementRatio(registry: Registry, agreement: Pick<Agreement, "summary">): void {
  registry.registerMetric(
    new Gauge({
      name: "plimsoll_shadow_agreement_ratio",
      help: "Share of decisions in shadow that agree.",
      registers: [],
      collect() {
        this.set(agreement.summary().total.agreement);
      },
    }),
  );
}
