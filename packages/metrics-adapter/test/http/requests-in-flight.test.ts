import { Agent } from "node:https";
import { until } from "@plimsoll/testbed/world";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { fakeEngine } from "./fakes.ts";
import { ask, askAs, type Harness, startAdapter } from "./harness.ts";

let harness: Harness;
beforeAll(async () => {
  harness = await startAdapter({ flags: ["--max-requests-inflight=3"] });
});
afterAll(async () => {
  await harness.adapter.stop();
});
beforeEach(() => {
  harness.engine.onCustom = fakeEngine().onCustom;
});

const path = "/apis/custom.metrics.k8s.io/v1beta1/namespaces/ns/pods/p/m";

test("above the limit in flight, metric requests get 429 while discovery and health respond", async () => {
  const release: (() => void)[] = [];
  harness.engine.onCustom = () =>
    new Promise((resolve) => {
      release.push(() => resolve({ ok: true, value: [] }));
    });
  const held = [1, 2, 3].map(() => askAs(harness, path));
  await until("three requests are in flight", () => release.length === 3);
  const crowded = await askAs(harness, path);
  expect(crowded.code).toBe(429);
  expect(crowded.headers["retry-after"]).toBe("1");
  expect(crowded.json()).toMatchObject({ kind: "Status", reason: "TooManyRequests" });
  const others = await Promise.all([
    askAs(harness, "/apis"),
    askAs(harness, "/apis/custom.metrics.k8s.io/v1beta1"),
    ask(harness, { path: "/readyz" }),
  ]);
  expect(others.map((answer) => answer.code)).toEqual([200, 200, 200]);
  for (const go of release) {
    go();
  }
  expect((await Promise.all(held)).map((answer) => answer.code)).toEqual([200, 200, 200]);
  harness.engine.onCustom = fakeEngine().onCustom;
  expect((await askAs(harness, path)).code).toBe(200);
});

test("a caller that goes away frees its place and calls off its query", async () => {
  const signals: AbortSignal[] = [];
  harness.engine.onCustom = (query) => {
    signals.push(query.signal());
    return new Promise(() => {});
  };
  const agent = new Agent();
  const gone = [1, 2, 3].map(() => askAs(harness, path, { agent }).catch((error: unknown) => error));
  await until("three requests are in flight", () => signals.length === 3);
  agent.destroy();
  await Promise.all(gone);
  await until("all queries are called off", () => signals.every((signal) => signal.aborted));
  harness.engine.onCustom = fakeEngine().onCustom;
  expect((await askAs(harness, path)).code).toBe(200);
});

test("a caller that goes away while its token is reviewed causes no query", async () => {
  const { onTokenReview } = harness.kube;
  const review = Promise.withResolvers<{ authenticated: boolean; user: object }>();
  harness.kube.onTokenReview = () => review.promise;
  harness.engine.queries.length = 0;
  const agent = new Agent();
  const headers = { Authorization: "Bearer of-one-that-leaves" };
  const gone = ask(harness, { path, agent, headers }).catch((error: unknown) => error);
  await until("the token is reviewed", () => harness.kube.tokenReviews.includes("of-one-that-leaves"));
  harness.log.lines.length = 0;
  agent.destroy();
  await gone;
  await until("the request has ended", () => harness.log.lines.some(({ message }) => message === "request"));
  review.resolve({ authenticated: true, user: { username: "late", groups: ["system:masters"] } });
  harness.kube.onTokenReview = onTokenReview;
  expect((await askAs(harness, path)).code).toBe(200);
  expect(harness.engine.queries).toHaveLength(1);
});

test("a finished request cancels nothing, over the same connection or a closed one", async () => {
  const signals: AbortSignal[] = [];
  const { onCustom } = fakeEngine();
  harness.engine.onCustom = (query) => {
    signals.push(query.signal());
    return onCustom(query);
  };
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (const connection of [agent, agent, undefined]) {
    const answer = await askAs(harness, path, connection === undefined ? {} : { agent: connection });
    expect(answer.code).toBe(200);
  }
  agent.destroy();
  expect(signals.map((signal) => signal.aborted)).toEqual([false, false, false]);
});
