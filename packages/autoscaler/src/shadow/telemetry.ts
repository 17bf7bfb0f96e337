import { Counter, Gauge, type Registry } from "prom-client";
import { splitKey } from "../hpa/native-hpa.ts";
import type { Agreement, ShadowResult } from "./agreement.ts";
import type { Difference } from "./difference.ts";

/** The comparison as metrics; series of an object go with it. */
export function createShadowTelemetry(registry: Registry, agreement: () => Agreement) {
  const registers = [registry];
  const compared = new Counter({
    name: "plimsoll_shadow_compared_total",
    help: "Decisions in shadow by how they compare with the driving controller's: agree, differ, or unsettled.",
    labelNames: ["result"],
    registers,
  });
  const differences = new Counter({
    name: "plimsoll_shadow_first_difference_total",
    help: "Decisions that differ, by the first step at which they do.",
    labelNames: ["step"],
    registers,
  });
  const perObject = new Counter({
    name: "plimsoll_shadow_object_differences_total",
    help: "Decisions that differ, by object; only objects that ever differed have a series.",
    labelNames: ["namespace", "hpa_name"],
    registers,
  });
  registry.registerMetric(
    new Gauge({
      name: "plimsoll_shadow_agreement_ratio",
      help: "Share of the compared decisions that agree.",
      registers: [],
      collect() {
        this.set(agreement().summary().total.agreement);
      },
    }),
  );
  return {
    result(key: string, result: ShadowResult, difference: Difference | undefined): void {
      compared.inc({ result });
      if (result !== "differ") return;
      const { namespace, name } = splitKey(key);
      perObject.inc({ namespace, hpa_name: name });
      differences.inc({ step: difference?.step ?? "result" });
    },
    drop(key: string): void {
      const { namespace, name } = splitKey(key);
      perObject.remove({ namespace, hpa_name: name });
    },
  };
}
