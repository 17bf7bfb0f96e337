// What simulations run of the adapter: its engine, and its stages without a connection.
export { metricRuleCrd } from "@plimsoll/metric-rules/testing";
export { createLive } from "../backends/live/live.ts";
export { createMetricRules } from "../backends/metric-rules/metric-rules.ts";
export { createEngine } from "../backends/prometheus/engine.ts";
export { createLocalServer, type LocalServer } from "./local-server.ts";
