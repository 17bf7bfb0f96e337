// A Prometheus of one's own, with samples of any time: what tests of rules query.
export { startRealPrometheus } from "./real-prometheus.ts";
export type { WrittenSeries, WrittenValue } from "./remote-write.ts";
export type { RealPrometheus } from "./server-process.ts";
