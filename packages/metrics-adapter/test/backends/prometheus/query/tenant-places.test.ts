import { minuteMs } from "@plimsoll/core/internal/values";
import { PrometheusError } from "@plimsoll/prometheus";
import { expect, test } from "vitest";
import { NotStartedError, type Release } from "../../../../src/backends/prometheus/query/in-flight.ts";
import { tenantQuery } from "../../../../src/backends/prometheus/query/tenant-history.ts";
import { bench } from "./tenant-bench.ts";

const HOUR_MS = 60 * minuteMs;
/** Of the 20 slots of a Prometheus with its defaults. */
const TENANTS_MAX = 6;

test("24 rules that never return take one slot for as long as the connection shows that they run", async () => {
  const { clock, hostile, sentBy, limiter, most } = bench();
  hostile("hostile", "never");
  await clock.advance(4 * HOUR_MS);
  expect([sentBy("hostile"), limiter.unanswered(), most()]).toEqual([1, 1, 1]);
});

test("24 rules whose connections are cut are sent ever more rarely, one at a time", async () => {
  const { clock, hostile, sentBy, limiter } = bench();
  const startMs = clock.nowMs();
  hostile("hostile", "cut");
  await clock.advance(HOUR_MS);
  expect(sentBy("hostile")).toBeLessThanOrEqual(8);
  await clock.advance(9 * HOUR_MS);
  expect(sentBy("hostile", startMs + HOUR_MS)).toBeLessThanOrEqual(10);
  expect(limiter.unanswered()).toBeLessThanOrEqual(1);
});

test("24 rules that Prometheus ends at its timeout are sent every five minutes in the end", async () => {
  const { clock, hostile, sentBy, limiter } = bench();
  hostile("hostile", "late");
  await clock.advance(HOUR_MS);
  expect(sentBy("hostile")).toBeLessThanOrEqual(15);
  expect(sentBy("hostile")).toBeGreaterThanOrEqual(12);
  expect(limiter.unanswered()).toBe(0);
});

test.each(["never", "cut", "late"] as const)(
  "beside namespaces whose rules end as %s, new and known rules of others and the rules file find a slot",
  async (fate) => {
    const { clock, hostile, ask, outcome, ofFile, most } = bench();
    expect(await outcome(ask("known", "good", "answered"))).toBe("ok");
    for (const namespace of ["a", "b", "c", "d"]) hostile(namespace, fate);
    for (let hour = 0; hour < 6; hour += 1) {
      await clock.advance(20 * minuteMs);
      expect(await outcome(ask("known", "good", "answered"))).toBe("ok");
      expect(await outcome(ask(`new-${hour}`, "good", "answered"))).toBe("ok");
      expect(await outcome(ofFile("packets", "known"))).toBe("ok");
      expect(await outcome(ofFile("packets", "a"))).toBe("ok");
    }
    expect(most()).toBeLessThanOrEqual(fate === "cut" ? 20 : TENANTS_MAX);
  },
);

test.each([
  [2, { maxQueries: 4 }],
  [TENANTS_MAX, {}],
  [TENANTS_MAX, { maxQueries: 48 }],
  [1, { maxTenantQueries: 1 }],
  [12, { maxTenantQueries: 12 }],
])(
  "twelve namespaces that hang never take more than the part of tenants, %i with the limits %j",
  async (part, max) => {
    const { clock, hostile, most } = bench(max);
    for (let at = 0; at < 12; at += 1) hostile(`hostile-${at}`, "never", 5);
    await clock.advance(20 * minuteMs);
    expect(most()).toBeLessThanOrEqual(part);
  },
);

test("a namespace with one slow query serves the others, new ones too", async () => {
  const { clock, ask, outcome, repeat, sentBy } = bench();
  expect(await outcome(ask("shop", "good", "answered"))).toBe("ok");
  void repeat("shop", "slow", "late");
  for (let minute = 0; minute < 60; minute += 1) {
    expect(await outcome(ask("shop", "good", "answered"))).toBe("ok");
    await clock.advance(minuteMs);
  }
  // The slow one is not sent alone: a new one is tried between two pauses.
  let served = "refused";
  for (let times = 0; served !== "ok" && times < 24; times += 1) {
    served = await outcome(ask("shop", "new", "answered"));
    await clock.advance(15_000);
  }
  expect(served).toBe("ok");
  expect(sentBy("shop")).toBeGreaterThan(60);
});

test("a query that succeeds after its timeout ends the pauses, and the next one is short again", async () => {
  const { clock, ask, outcome, messages } = bench();
  for (let times = 0; times < 3; times += 1) {
    expect(await outcome(ask("shop", "a", "late"))).toBe("timeout");
    await clock.advance(10 * minuteMs);
  }
  expect(await outcome(ask("shop", "a", "answered"))).toBe("ok");
  expect(await outcome(ask("shop", "a", "late"))).toBe("timeout");
  expect(await outcome(ask("shop", "b", "answered"))).toBe("refused");
  expect(messages.at(-1)).toContain("1 query of the namespace shop timed out");
  await clock.advance(30_000);
  expect(await outcome(ask("shop", "b", "answered"))).toBe("ok");
});

test("successes of other queries do not shorten the pauses", async () => {
  const { clock, ask, hostile, outcome, sentBy } = bench();
  expect(await outcome(ask("mixed", "good", "answered"))).toBe("ok");
  hostile("mixed", "cut");
  let good = 1;
  for (let times = 0; times < 60; times += 1) {
    await clock.advance(minuteMs);
    if ((await outcome(ask("mixed", "good", "answered"))) === "ok") good += 1;
  }
  expect(good).toBe(61);
  expect(sentBy("mixed") - good).toBeLessThanOrEqual(9);
});

test("a query whose caller left early counts until Prometheus has answered, and as a timeout after 10 s", async () => {
  const { clock, limiter } = bench();
  const signal = new AbortController().signal;
  const account = (promql: string) => ({
    metric: promql,
    namespace: "shop",
    tenantQuery: tenantQuery("shop", promql),
  });
  const refused = async (promql: string): Promise<string> =>
    await limiter
      .acquire(account(promql), AbortSignal.abort("full"), () => undefined)
      .then(
        () => "sent",
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      );
  const first = await limiter.acquire(account("a"), signal, () => undefined);
  first("failed", new Promise(() => undefined));
  expect(limiter.unanswered()).toBe(1);
  let isSent = false;
  const waits = limiter
    .acquire(account("b"), signal, () => undefined)
    .then(
      () => "sent",
      (error: unknown) => error,
    );
  void waits.then(() => (isSent = true));
  await clock.advance(8_000);
  expect(isSent).toBe(false);
  await clock.advance(3_000);
  expect(await waits).toBeInstanceOf(NotStartedError);
  expect(await waits).toMatchObject({ kind: "timeout", retryAfterMs: expect.any(Number) as number });
  expect(await refused("c")).toBe("full");
});

test("callers learn at once which namespace it is, when the next query is sent, and what to do", async () => {
  const { clock, ask, outcome, limiter } = bench();
  expect(await outcome(ask("shop", "slow", "late"))).toBe("timeout");
  const account = { metric: "other", namespace: "shop", tenantQuery: tenantQuery("shop", "other") };
  const error = await limiter
    .acquire(account, new AbortController().signal, () => undefined)
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(PrometheusError);
  const at = new Date(clock.nowMs() + 30_000).toISOString().replace(".000Z", "Z");
  expect(error).toMatchObject({
    retryAfterMs: 30_000,
    message: `1 query of the namespace shop timed out. Queries of this namespace that did not succeed in the last hour are not sent before ${at}. Make them cheaper: kubectl describe metricrules,workloadautoscalers --namespace shop`,
  });
});

test("when queries of the rules file time out too, the pauses of tenants do not grow", async () => {
  const { clock, ask, outcome, limiter } = bench();
  for (let times = 0; times < 5; times += 1) {
    const slow = ask("shop", "a", "late");
    const release = await limiter.acquire(
      { metric: `m${times}`, namespace: "other" },
      new AbortController().signal,
      () => undefined,
    );
    await clock.advance(9_000);
    release("timeout");
    expect(await outcome(slow)).toBe("timeout");
    await clock.advance(45_000);
  }
  expect(await outcome(ask("shop", "a", "answered"))).toBe("ok");
});

test("queries of the rules file without a response take four more places of their namespace, and of no other", async () => {
  const { clock, limiter } = bench();
  const { signal } = new AbortController();
  const acquire = (metric: string, namespace: string) =>
    limiter.acquire({ metric, namespace }, signal, () => undefined);
  for (let at = 0; at < 16; at += 1) {
    const release = await acquire(`m${at}`, at < 12 ? "slow" : "other");
    release("failed", at < 12 ? Promise.resolve(false) : undefined);
  }
  const sent: Release[] = [];
  const waits = acquire("m12", "slow").then((release) => sent.push(release));
  await clock.advance(29_000);
  expect(sent).toEqual([]);
  (await acquire("m12", "other"))("succeeded");
  await clock.advance(2_000);
  expect(await waits).toBe(1);
  sent[0]?.("succeeded");
});

test("where there was no server, nothing that began before still runs: tenants are served again at once", async () => {
  const { clock, hostile, ask, outcome, limiter } = bench();
  for (const namespace of ["a", "b", "c", "d", "e", "f"]) hostile(namespace, "cut", 1);
  await clock.advance(20 * minuteMs);
  expect(limiter.unanswered()).toBeGreaterThan(3);
  const release = await limiter.acquire(
    { metric: "packets", namespace: "b" },
    new AbortController().signal,
    () => undefined,
  );
  release("away");
  expect(limiter.unanswered()).toBeLessThanOrEqual(1);
  expect(await outcome(ask("new", "good", "answered"))).toBe("ok");
});
