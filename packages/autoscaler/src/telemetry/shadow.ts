// The metrics of the shadow comparison.
import type { Registry } from "prom-client";
import { labelsOfKey } from "../objects/scaling-object.ts";
import type { Agreement, ShadowResult } from "../shadow/agreement.ts";
import type { Difference } from "../shadow/difference.ts";
import { define } from "./define.ts";

/** The comparison as metrics; series of an object go with it. */
export function createShadowTelemetry(registry: Registry) {
  const { counter } = define(registry);
  const compared = counter(
    "plimsoll_shadow_compared_total",
    "Decisions in shadow, compared with the managing controller: agree, differ, or unsettled.",
    ["result"],
  );
  const differences = counter(
    "plimsoll_shadow_first_difference_total",
    "Different decisions, by the first different step.",
    ["step"],
  );
  const perObject = counter("plimsoll_shadow_object_differences_total", "Different decisions, by object.", [
    "namespace",
    "hpa_name",
    "kind",
  ]);
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
  define(registry).sampled(
    "plimsoll_shadow_agreement_ratio",
    "Share of decisions in shadow that agree.",
    () => agreement.summary().total.agreement,
  );
}
