import { manualClock } from "@plimsoll/component-base/testing";
import { until } from "@plimsoll/testbed/world";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import type { ProviderFailure } from "../../src/backends/prometheus/providers/outcome.ts";
import { fakeEngine, podValue } from "./fakes.ts";
import { askAs, type Harness, startAdapter } from "./harness.ts";

let harness: Harness;
beforeAll(async () => {
  harness = await startAdapter();
});
afterAll(async () => {
  await harness.adapter.stop();
});

const custom = "/apis/custom.metrics.k8s.io/v1beta1";
const external = "/apis/external.metrics.k8s.io/v1beta1";
const metrics = "/apis/metrics.k8s.io/v1beta1";

interface FailureRow {
  readonly failure: ProviderFailure;
  readonly code: number;
  readonly reason: string;
  readonly message?: string;
  readonly details?: object;
}

const failures: readonly FailureRow[] = [
  {
    failure: { code: "MetricNotFound", message: "the server could not find the metric m for pods" },
    code: 404,
    reason: "NotFound",
  },
  { failure: { code: "ResourceNotFound", message: "no such resource" }, code: 404, reason: "NotFound" },
  {
    failure: { code: "NoObjectsSelected", message: "the selector matches no pods" },
    code: 404,
    reason: "NotFound",
  },
  {
    failure: { code: "ObjectNotFound", message: 'pods "zzz" not found', resource: "pods", name: "zzz" },
    code: 404,
    reason: "NotFound",
    details: { name: "zzz", kind: "pods" },
  },
  {
    failure: {
      code: "ObjectNotFound",
      message: 'podmetrics.metrics.k8s.io "ns/p" not found',
      resource: "podmetrics.metrics.k8s.io",
      name: "ns/p",
    },
    code: 404,
    reason: "NotFound",
    details: { name: "ns/p", group: "metrics.k8s.io", kind: "podmetrics" },
  },
  {
    failure: { code: "BadRequest", message: "unable to parse requirement" },
    code: 400,
    reason: "BadRequest",
  },
  {
    failure: { code: "Unavailable", message: "Prometheus cannot be reached" },
    code: 503,
    reason: "ServiceUnavailable",
    details: { retryAfterSeconds: 1 },
  },
  {
    failure: { code: "Unavailable", message: "Prometheus is busy", retryAfterSeconds: 7 },
    code: 503,
    reason: "ServiceUnavailable",
    details: { retryAfterSeconds: 7 },
  },
  { failure: { code: "Timeout", message: "Prometheus took too long" }, code: 504, reason: "Timeout" },
  {
    failure: { code: "Internal", message: "unable to fetch metrics" },
    code: 500,
    reason: "InternalError",
    message: "Internal error occurred: unable to fetch metrics",
    details: { causes: [{ message: "unable to fetch metrics" }] },
  },
];

test.each(failures)("a provider's $failure.code gets $code on all three APIs", async (row) => {
  const fail = async () => ({ ok: false as const, failure: row.failure });
  harness.engine.onCustom = fail;
  harness.engine.onExternal = fail;
  harness.engine.onPods = fail;
  for (const path of [
    `${custom}/pods/p/m`,
    `${external}/namespaces/ns/m`,
    `${metrics}/namespaces/ns/pods/p`,
  ]) {
    const answer = await askAs(harness, path);
    expect(answer.code).toBe(row.code);
    // With that header client-go would try again at once, up to ten times, instead of at the next evaluation.
    expect(answer.headers["retry-after"]).toBeUndefined();
    expect(answer.json()).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: row.message ?? row.failure.message,
      reason: row.reason,
      ...(row.details === undefined ? {} : { details: row.details }),
      code: row.code,
    });
  }
});

test("a provider that throws fails one request, and the response has no details", async () => {
  const fails = (): never => {
    throw new Error("secret detail");
  };
  for (const onCustom of [fails, async () => fails()]) {
    harness.engine.onCustom = onCustom;
    harness.log.lines.length = 0;
    const answer = await askAs(harness, `${custom}/pods/p/m`);
    expect(answer.code).toBe(500);
    expect(answer.text).not.toContain("secret");
    expect(harness.log.lines.filter((line) => line.message === "request failed")).toHaveLength(1);
  }
  harness.engine.onCustom = fakeEngine().onCustom;
  expect((await askAs(harness, `${custom}/pods/p/m`)).code).toBe(200);
});

test("a selector that would make a response of hundreds of MiB, as each item has it, is refused", async () => {
  const { onCustom } = harness.engine;
  const keys = Array.from({ length: 1_000 }, (_, at) => `key-${at}`);
  const selector = { matchExpressions: keys.map((key) => ({ key, operator: "DoesNotExist" as const })) };
  const values = (count: number) =>
    Array.from({ length: count }, () => ({ ...podValue("p", "1"), selector }));
  const path = `${custom}/namespaces/ns/pods/*/m?metricLabelSelector=${keys.map((key) => `!${key}`).join()}`;
  harness.engine.onCustom = async () => ({ ok: true, value: values(5_000) });
  const refused = await askAs(harness, path);
  harness.engine.onCustom = async () => ({ ok: true, value: values(2) });
  const served = await askAs(harness, path);
  harness.engine.onCustom = onCustom;
  expect(refused.code).toBe(400);
  expect(refused.json().message).toMatch(
    /^metricLabelSelector takes \d+ bytes in each of 5000 items, more than 16777216/,
  );
  expect([served.code, served.json().items.length]).toEqual([200, 2]);
});

test("a request that exceeds its deadline gets 504 and is canceled", async () => {
  const clock = manualClock(Date.now());
  const timed = await startAdapter({ clock });
  onTestFinished(async () => {
    let isStopped = false;
    void timed.adapter.stop().then(() => (isStopped = true));
    await until("it has stopped", async () => {
      await clock.advance(1_000);
      return isStopped;
    });
  });
  let signal: AbortSignal | undefined;
  timed.engine.onCustom = (query) => {
    signal = query.signal();
    return new Promise(() => {});
  };
  const asked = askAs(timed, `${custom}/pods/p/m?timeout=50ms`);
  await until("the request is under way", () => signal !== undefined);
  await clock.advance(50);
  const answer = await asked;
  expect(answer.code).toBe(504);
  expect(answer.json()).toMatchObject({
    kind: "Status",
    reason: "Timeout",
    message: "Timeout: request did not complete within the allotted timeout",
  });
  expect(signal?.aborted).toBe(true);
});
