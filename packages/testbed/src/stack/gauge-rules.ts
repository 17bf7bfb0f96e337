import { fileURLToPath } from "node:url";

/** Rules for the demo's metrics from gauges, which have the same value at every instant between two changes of the load. */
export const gaugeRules = fileURLToPath(new URL("../../gauge-rules.yaml", import.meta.url));
