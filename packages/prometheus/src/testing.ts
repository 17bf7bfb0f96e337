// Servers for tests: a fake Prometheus and the real one.

export { startRealPrometheus } from "./server/real-prometheus.ts";
export type { WrittenSeries } from "./server/remote-write.ts";
export type { RealPrometheus } from "./server/server-process.ts";
export {
  type FakeHandler,
  type FakePrometheus,
  type FakeReply,
  type FakeSample,
  failure,
  type RawReply,
  type SeenRequest,
  startFakePrometheus,
  success,
  vector,
} from "./testing/fake-prometheus.ts";
export { type History, scraped } from "./testing/history.ts";
export {
  type Aggregation,
  type Expression,
  type LabelMatcher,
  parseQuery,
  parseSelector,
  type Selector,
  UnknownQueryError,
} from "./testing/parse-query.ts";
export { startPrometheusWith, startVictoriaMetrics } from "./testing/real-prometheus.ts";
