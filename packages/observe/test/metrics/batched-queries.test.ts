import { manualClock } from "@plimsoll/component-base/testing";
import { parseSelector } from "@plimsoll/core/selector";
import { ApiError, ConnectionError, createRestMapper } from "@plimsoll/kube";
import { fakeClient } from "@plimsoll/testbed/world/cluster";
import { expect, test } from "vitest";
import { createMetricsClient } from "../../src/metrics/client.ts";
import { shareForMoment } from "../../src/metrics/share.ts";

const item = (app: string, labels: object = { labels: { app } }) => ({
  metadata: { name: `${app}-0`, namespace: "shop", ...labels },
  timestamp: "2030-01-01T00:00:00Z",
  window: "30s",
  containers: [{ name: "main", usage: { cpu: "50m" } }],
});

/** A metrics API; `wide` answers calls for the whole namespace, which take ten seconds. */
function world(wide: () => unknown, narrow: (app: string) => unknown = (app) => ({ items: [item(app)] })) {
  const clock = manualClock(0);
  const asked: string[] = [];
  const lines: string[] = [];
  const client = fakeClient(async ({ query }) => {
    const selector = query?.["labelSelector"];
    asked.push(selector === undefined ? "wide" : String(selector));
    if (selector !== undefined) return narrow(String(selector).slice("app=".length));
    await new Promise<void>((resolve) => {
      clock.after(10_000, resolve);
    });
    return wide();
  });
  const share = shareForMoment(clock, 1000);
  const metrics = createMetricsClient({
    client,
    mapper: createRestMapper({ client, clock, maxAgeMs: 1000 }),
    batches: share,
    clock,
    random: () => 0.5,
    onCall: () => undefined,
    onBackoff: (namespace) => lines.push(`${namespace} backs off`),
    onResume: (namespace) => lines.push(`${namespace} resumes`),
  });
  const fetch = (app: string) =>
    metrics.fetch({
      namespace: "shop",
      metric: { type: "Resource", resource: { name: "cpu", target: { type: "Utilization" } } },
      podSelector: `app=${app}`,
      batch: { selector: parseSelector(`app=${app}`), selectors: 2 },
      share,
      withinMs: undefined,
    });
  /** One period in which both objects have their turn. */
  async function period() {
    asked.length = 0;
    const both = Promise.all([fetch("a"), fetch("b")]);
    await clock.advance(15_000);
    return await both;
  }
  return { clock, asked, lines, period, fetch };
}

const timeout = () => {
  throw new ConnectionError("timeout", "no response within 10 s");
};
const samplesOf = (app: string) => ({
  pods: [
    {
      name: `${app}-0`,
      timestamp: "2030-01-01T00:00:00Z",
      windowSeconds: 30,
      containers: { main: { cpu: "50m" } },
    },
  ],
});
const both = [samplesOf("a"), samplesOf("b")];

test.each([
  ["does not come in time", timeout],
  [
    "is too large",
    () => {
      throw new ConnectionError("too_large", "more than 64 MiB");
    },
  ],
  [
    "is refused by the server behind",
    () => {
      throw new ApiError({ code: 504, reason: "Timeout", message: "the server timed out" });
    },
  ],
  ["is not a list", () => "hello"],
  ["has no labels", () => ({ items: [item("a", {}), item("b", {})] })],
])(
  "when the response for a namespace %s, each selector has its own query, at once in the next periods",
  async (_, wide) => {
    const { asked, lines, period } = world(wide);
    expect(await period()).toEqual(both);
    expect(asked).toEqual(["wide", "app=a", "app=b"]);
    expect(await period()).toEqual(both);
    expect(asked).toEqual(["app=a", "app=b"]);
    expect(lines).toEqual(["shop backs off"]);
  },
);

test("the namespace is tried again after a while, ever more rarely, and nothing waits for it", async () => {
  let isDown = true;
  const { asked, lines, period } = world(() => (isDown ? timeout() : { items: [item("a"), item("b")] }));
  const tries: number[] = [];
  for (let turn = 0; turn < 60; turn++) {
    expect(await period()).toEqual(both);
    if (asked.includes("wide")) tries.push(turn);
    expect(asked.filter((call) => call === "wide").length).toBeLessThanOrEqual(1);
  }
  expect(tries).toEqual([0, 6, 15, 33]);
  isDown = false;
  for (let turn = 0; turn < 60; turn++) await period();
  expect(asked).toEqual(["wide"]);
  expect(lines).toEqual(["shop backs off", "shop resumes"]);
});

test.each([401, 403, 404, 429])(
  "a %i response holds for every selector: no call is added to it",
  async (code) => {
    const { asked, period } = world(() => {
      throw new ApiError({ code, reason: "No", message: "no" });
    });
    expect(await period()).toEqual([{ error: expect.any(String) }, { error: expect.any(String) }]);
    expect(asked).toEqual(["wide"]);
  },
);

const unavailable = () => {
  throw new ApiError({ code: 503, reason: "ServiceUnavailable", message: "no endpoints" });
};

test.each([
  ["503", unavailable],
  [
    "a refused connection",
    () => {
      throw new ConnectionError("refused", "connect ECONNREFUSED");
    },
  ],
])("%s counts for every selector: a server that restarts gets one request a period", async (_, down) => {
  let isDown = true;
  const { asked, lines, period } = world(
    () => (isDown ? down() : { items: [item("a"), item("b")] }),
    (app) => (isDown ? down() : { items: [item(app)] }),
  );
  for (let turn = 0; turn < 40; turn++) {
    expect(await period()).toEqual([{ error: expect.any(String) }, { error: expect.any(String) }]);
    expect(asked).toHaveLength(1);
  }
  isDown = false;
  expect(await period()).toEqual(both);
  expect(asked).toEqual(["app=a", "wide"]);
  expect(await period()).toEqual(both);
  expect(asked).toEqual(["wide"]);
  expect(lines).toEqual([]);
});

test("an adapter that answers 503 for a namespace only is queried by selector from the next period on", async () => {
  const { lines, period } = world(unavailable);
  expect(await period()).toEqual([{ error: expect.any(String) }, { error: expect.any(String) }]);
  for (let turn = 0; turn < 40; turn++) expect(await period()).toEqual(both);
  expect(lines).toEqual(["shop backs off"]);
});

test("when the selector's own call fails too, its error is reported", async () => {
  const { period } = world(timeout, (app) => {
    if (app === "a") throw new ApiError({ code: 500, reason: "", message: "a is down" });
    return { items: [item(app)] };
  });
  expect(await period()).toEqual([{ error: "a is down" }, samplesOf("b")]);
});

test("a result that all selectors have got a part of is not kept, one that some still want is", async () => {
  const { clock, asked, fetch } = world(() => ({ items: [item("a"), item("b")] }));
  const taken = async (app: string, afterMs: number) => {
    const samples = fetch(app);
    await clock.advance(afterMs);
    return await samples;
  };
  expect(await taken("a", 10_000)).toEqual(samplesOf("a"));
  expect(await taken("a", 0)).toEqual(samplesOf("a"));
  expect(await taken("b", 0)).toEqual(samplesOf("b"));
  expect(asked).toEqual(["wide"]);
  expect(await taken("b", 10_000)).toEqual(samplesOf("b"));
  expect(asked).toEqual(["wide", "wide"]);
});
