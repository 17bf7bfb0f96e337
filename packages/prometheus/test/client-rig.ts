// Clients of a Prometheus that responds as a test wants.
import { onTestFinished } from "vitest";
import {
  createPrometheusClient,
  type PrometheusClient,
  type PrometheusClientOptions,
  PrometheusError,
} from "../src/index.ts";
import { type FakeHandler, type FakePrometheus, startFakePrometheus } from "../src/testing.ts";

/** A client that is closed at the end of the test. */
export function clientOf(options: PrometheusClientOptions): PrometheusClient {
  const client = createPrometheusClient(options);
  onTestFinished(() => client.close());
  return client;
}

export async function start(
  handler: FakeHandler,
  options: Partial<PrometheusClientOptions> = {},
): Promise<{ fake: FakePrometheus; client: PrometheusClient }> {
  const fake = await startFakePrometheus(handler);
  onTestFinished(() => fake.close());
  return { fake, client: clientOf({ url: fake.url, ...options }) };
}

export async function errorOf(promise: Promise<unknown>): Promise<PrometheusError> {
  const error: unknown = await promise.then(
    () => new Error("no error"),
    (reason: unknown) => reason,
  );
  if (!(error instanceof PrometheusError)) throw error;
  return error;
}
