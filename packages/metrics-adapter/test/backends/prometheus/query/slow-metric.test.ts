import { type FakeHandler, failure, vector } from "@plimsoll/prometheus/testing";
import { afterEach, expect, test } from "vitest";
import { failureIn, type Harness, type HarnessOptions, startHarness, waitFor } from "../harness.ts";

const metrics = Array.from({ length: 49 }, (_, at) => `metric_${String(at)}`);
const healthy = metrics.slice(1);
const [hanging = ""] = metrics;
const rules = `rules: [{seriesQuery: '{namespace!=""}', resources: {template: <<.Resource>>}, metricsQuery: 'x(<<.Series>>{<<.LabelMatchers>>})'}]`;
const series = metrics.map((name) => ({ __name__: name, namespace: "ns", pod: "a" }));

let harness: Harness;

afterEach(() => harness.stop());

function isHanging(promql: string): boolean {
  return promql.includes(`${hanging}{`);
}

async function start(hang: FakeHandler, options: Partial<HarnessOptions> = {}): Promise<void> {
  harness = await startHarness({
    rules,
    series,
    timeoutMs: 500,
    isTimedByClock: true,
    query: (request) => {
      const isHealthy = !isHanging(request.parameters.get("query") ?? "");
      return isHealthy ? vector([{ labels: { pod: "a" }, value: "1" }]) : hang(request);
    },
    ...options,
  });
}

async function codeOf(metric: string, namespace = "ns"): Promise<string> {
  const outcome = await harness.custom({ metric, namespace, name: "a" });
  return outcome.ok ? "ok" : outcome.failure.code;
}

/** Lets time pass until it is decided, a minute at most. */
async function inTime<T>(outcome: Promise<T>): Promise<T> {
  let isDecided = false;
  const decided = outcome.finally(() => (isDecided = true));
  const untilMs = harness.clock.nowMs() + 60_000;
  const pass = async (): Promise<void> => {
    if (harness.clock.nowMs() > untilMs) throw new Error("not decided within a minute");
    await harness.clock.advance(100);
    if (!isDecided) await pass();
  };
  await pass();
  return decided;
}

const never: FakeHandler = () => () => undefined;
const timesOut: FakeHandler = () => failure(503, "timeout", "query timed out in expression evaluation");

test.each([
  ["is never answered", never],
  ["Prometheus itself gives up on", timesOut],
  ["is refused with 422", () => failure(422, "execution", "too many samples")],
])("of 49 metrics, one of which %s, 48 are never refused", async (_, hang) => {
  await start(hang);
  for (let round = 0; round < 3; round += 1) {
    const namespaces = Array.from({ length: 12 }, (_ns, at) => `ns-${String(at)}`);
    const slow = Promise.all(namespaces.map((namespace) => codeOf(hanging, namespace)));
    const askHealthy = (): Promise<readonly string[]> => Promise.all(healthy.map((metric) => codeOf(metric)));
    expect((await askHealthy()).filter((code) => code !== "ok")).toEqual([]);
    expect((await inTime(slow)).filter((code) => code === "ok")).toEqual([]);
    expect((await askHealthy()).filter((code) => code !== "ok")).toEqual([]);
    await harness.clock.advance(2_000);
  }
});

test("a query that timed out is suspended alone, for twice as long each time, and sent again", async () => {
  let isWell = false;
  await start((request) => (isWell ? vector([{ labels: { pod: "a" }, value: "7" }]) : timesOut(request)));
  const asked = (): number => harness.queries().filter(isHanging).length;
  expect([await codeOf(hanging), asked()]).toEqual(["Unavailable", 1]);
  const { message, retryAfterSeconds } = failureIn(await harness.custom({ metric: hanging, name: "a" }));
  expect([message, retryAfterSeconds, asked()]).toEqual([
    expect.stringContaining("this query timed out and is not sent for 1 s"),
    1,
    1,
  ]);
  expect(await codeOf(hanging, "other")).toBe("Unavailable");
  expect(asked()).toBe(2);
  await harness.clock.advance(1_000);
  expect([await codeOf(hanging), asked()]).toEqual(["Unavailable", 3]);
  await harness.clock.advance(1_999);
  expect([await codeOf(hanging), asked()]).toEqual(["Unavailable", 3]);
  isWell = true;
  await harness.clock.advance(1);
  expect([await codeOf(hanging), await codeOf(hanging), asked()]).toEqual(["ok", "ok", 5]);
});

test("a metric that hangs takes a few connections, and its callers hear so when enough of them wait", async () => {
  await start(never);
  const inFlight = (): number =>
    harness.fake.requests.filter(({ parameters }) => isHanging(parameters.get("query") ?? "")).length;
  const namespaces = Array.from({ length: 200 }, (_, at) => `ns-${String(at)}`);
  const first = Promise.all(namespaces.map((namespace) => codeOf(hanging, namespace)));
  await waitFor(() => inFlight() === 4);
  expect(await codeOf("metric_1")).toBe("ok");
  expect(new Set(await inTime(first))).toEqual(new Set(["Unavailable"]));
  // Those that went out, and those that waited: nearly all were refused as soon as the first timed out.
  expect(inFlight()).toBeLessThanOrEqual(4 + 32 + 4);
});

test("one namespace's slow queries leave turns for the others, of the same metric too", async () => {
  let stuck = 0;
  await start(never, {
    query: ({ parameters }) => {
      if (!(parameters.get("query") ?? "").includes('namespace="greedy"'))
        return vector([{ labels: { pod: "a" }, value: "1" }]);
      stuck += 1;
      return () => undefined;
    },
  });
  const greedy = Promise.all(
    metrics.flatMap((metric) => [codeOf(metric, "greedy"), codeOf(metric, "greedy")]),
  );
  await waitFor(() => stuck === 8);
  expect(await Promise.all(metrics.map((metric) => codeOf(metric, "modest")))).toEqual(
    metrics.map(() => "ok"),
  );
  expect(stuck).toBe(8);
  await harness.stop();
  await greedy;
});

test("made-up selectors that time out cost the other namespaces of the metric nothing", async () => {
  await start(never, {
    query: ({ parameters }) =>
      (parameters.get("query") ?? "").includes("evil=")
        ? () => undefined
        : vector([{ labels: { pod: "a" }, value: "1" }]),
  });
  const evil = (round: number): Promise<unknown> =>
    Promise.all(
      Array.from({ length: 40 }, (_, at) =>
        harness.custom({
          metric: hanging,
          name: "a",
          metricLabelSelector: `evil=${String(round * 40 + at)}`,
        }),
      ),
    );
  for (let round = 0; round < 2; round += 1) {
    const under = evil(round);
    const others = Array.from({ length: 30 }, (_, at) => codeOf(hanging, `ns-${String(at)}`));
    expect(new Set(await inTime(Promise.all(others)))).toEqual(new Set(["ok"]));
    await inTime(under);
  }
});

test("one namespace's queries do not take the places of all requests", async () => {
  let stuck = 0;
  await start(never, {
    timeoutMs: 30_000,
    query: ({ parameters }) => {
      if (!(parameters.get("query") ?? "").includes('namespace="greedy"'))
        return vector([{ labels: { pod: "a" }, value: "1" }]);
      stuck += 1;
      return () => undefined;
    },
  });
  let refused = 0;
  const greedy = Array.from({ length: 300 }, async (_, at) => {
    const metricLabelSelector = `a=${String(at)}`;
    const metric = metrics[at % metrics.length] ?? "";
    const outcome = await harness.custom({ metric, namespace: "greedy", name: "a", metricLabelSelector });
    if (failureIn(outcome).message.includes("100 queries of this namespace are already waiting"))
      refused += 1;
  });
  await waitFor(() => refused === 300 - 100 - 8 && stuck === 8);
  expect(await codeOf("metric_1", "modest")).toBe("ok");
  await harness.stop();
  await Promise.all(greedy);
});

test("queries without a response give way to others of their namespace, and say so", async () => {
  let stuck = 0;
  await start(never, {
    timeoutMs: 30_000,
    query: ({ parameters }) => {
      if (!(parameters.get("query") ?? "").includes("evil="))
        return vector([{ labels: { pod: "a" }, value: "1" }]);
      stuck += 1;
      return () => undefined;
    },
  });
  const messages: string[] = [];
  const evil = metrics.slice(0, 8).map(async (metric) => {
    messages.push(
      failureIn(await harness.custom({ metric, name: "a", metricLabelSelector: "evil=1" })).message,
    );
  });
  await waitFor(() => stuck === 8);
  const code = codeOf("metric_20");
  await harness.clock.advance(6_000);
  expect(await code).toBe("ok");
  expect(messages).toEqual([
    expect.stringContaining("no response within 5 s, and other queries are waiting"),
  ]);
  await harness.stop();
  await Promise.allSettled(evil);
});
