import type { MayDefine } from "@plimsoll/metric-rules";
import { expect, test } from "vitest";
import { createDirectory, type DirectoryOptions } from "../../../src/backends/metric-rules/directory.ts";
import type { ExternalMetricsProvider } from "../../../src/backends/prometheus/providers/external.ts";
import { failed, ok } from "../../../src/backends/prometheus/providers/outcome.ts";
import { failureIn } from "../prometheus/harness.ts";

const large = {
  namespace: "ns",
  name: "large",
  bytes: 9,
  reason: "ObjectTooLarge",
  message: "it takes 9 bytes, and an object may take 8",
} as const;

/** The file has "queue"; the namespace has a rule that is left out. */
function setUp(defined: MayDefine) {
  const rules = {
    catalog: {
      custom: () => undefined,
      external: () => undefined,
      hasCustom: () => false,
      isPending: () => false,
      externalNames: () => [],
    },
    state: () => "present",
    problem: () => undefined,
    leftOut: (namespace: string) => (namespace === "ns" ? [large] : []),
    unlisted: { mayDefine: () => defined, known: () => defined },
  };
  const ofFile: ExternalMetricsProvider = {
    list: () => ["queue"],
    get: ({ metric }) => (metric === "queue" ? ok([]) : failed("MetricNotFound", metric)),
  };
  const directory = createDirectory({ rules, queries: {} } as unknown as DirectoryOptions);
  const signal = () => new AbortController().signal;
  return async (namespace: string, metric: string) =>
    await directory.external(ofFile).get({ namespace, metric, labelSelector: "", signal });
}

test("a metric of a MetricRule that is left out gets 503 with the reason, and no value of another metric", async () => {
  const get = setUp(true);
  expect(failureIn(await get("ns", "queue"))).toEqual({
    code: "Unavailable",
    message: "cannot read MetricRule large: it takes 9 bytes, and an object may take 8",
    retryAfterSeconds: 1,
  });
  expect((await get("other", "queue")).ok).toBe(true);
});

test("beside a MetricRule that is left out, metrics that it does not define are served", async () => {
  const get = setUp(false);
  expect((await get("ns", "queue")).ok).toBe(true);
  expect(failureIn(await get("ns", "unknown")).code).toBe("Unavailable");
  expect(failureIn(await get("other", "unknown")).code).toBe("MetricNotFound");
});
