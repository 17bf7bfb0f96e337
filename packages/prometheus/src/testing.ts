// Servers for tests: a fake Prometheus and the real one.
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
export { startPrometheusWith, startRealPrometheus, startVictoriaMetrics } from "./testing/real-prometheus.ts";
export type { WrittenSeries } from "./testing/remote-write.ts";
export type { RealPrometheus } from "./testing/server-process.ts";
