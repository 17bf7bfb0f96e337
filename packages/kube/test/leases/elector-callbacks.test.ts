import { sleep } from "@plimsoll/component-base";
import { manualClock } from "@plimsoll/component-base/testing";
import { createElector, type ElectorOptions, type KubeRequest } from "@plimsoll/kube";
import { apiError, fakeClient } from "@plimsoll/testbed/world/cluster";
import { expect, test } from "vitest";
import { candidate, leaseServer } from "./one-lease.ts";

/** A candidate whose requests are those of "a", unless the hook throws; with when and how each was made. */
function watched(
  hook: (request: KubeRequest) => unknown = () => undefined,
  more: Partial<ElectorOptions> = {},
) {
  const clock = manualClock(0);
  const server = leaseServer();
  const own = server.client("a");
  const requests: string[] = [];
  const errors: string[] = [];
  const client = fakeClient(async (request) => {
    requests.push(`${clock.nowMs()} ${request.method ?? "GET"}`);
    await hook(request);
    return own.request(request);
  });
  const onError = (error: unknown) => void errors.push(String(error));
  const { elector, log } = candidate(server, clock, "a", { client, onError, ...more });
  return { clock, server, elector, log, requests, errors };
}

test.each([
  { leaseDurationMs: 10_000, renewDeadlineMs: 10_000 },
  { renewDeadlineMs: 2000, retryPeriodMs: 2000 },
  { retryPeriodMs: 0 },
])("%j cannot protect a leader, and the error says how they relate", (durations) => {
  expect(() => candidate(leaseServer(), manualClock(0), "a", durations)).toThrow(
    "the lease must outlast the renew deadline, and that the retry period",
  );
});

test("a leader renews every period, and a candidate waits up to a fifth longer", async () => {
  const leader = watched();
  leader.elector.start();
  await leader.clock.advance(4000);
  expect(leader.requests).toEqual(["0 GET", "0 POST", "2000 PUT", "4000 PUT"]);
  await leader.elector.stop();

  const { clock, server, elector, requests } = watched();
  candidate(server, clock, "b").elector.start();
  await clock.advance(0);
  elector.start();
  await clock.advance(6000);
  expect(requests).toEqual(["0 GET", "2200 GET", "4400 GET"]);
});

test("a candidate looks right after the lease has expired, and a period later when it could not take it", async () => {
  const { clock, server, elector, requests } = watched(({ method }) => {
    if (method === "PUT") throw apiError(500);
  });
  candidate(server, clock, "b").elector.start();
  await clock.advance(0);
  server.cutOff.add("b");
  await clock.advance(1000);
  elector.start();
  await clock.advance(19_000);
  // Looks are 2.2 s apart; the lease was first seen at 1 s, and lasts 15 s.
  expect(requests.slice(6)).toEqual(["14200 GET", "16201 GET", "16201 PUT", "18401 GET"]);
  await elector.stop();
});

test("who led until now looks twice as often", async () => {
  const { clock, elector, requests, log } = watched(({ method }) => {
    if (method === "PUT") throw apiError(500);
  });
  elector.start();
  await clock.advance(13_000);
  expect(log).toEqual(["started 0", "lost", "stopped"]);
  const looks = requests.filter((text) => text.endsWith("GET"));
  expect(looks.slice(-5)).toEqual(["6000 GET", "8000 GET", "10000 GET", "11200 GET", "12400 GET"]);
  await elector.stop();
});

test("who stops while it takes the lease does not lead, and releases it", async () => {
  const { clock, server, elector, log } = watched(() => sleep(clock, 100));
  elector.start();
  await clock.advance(150);
  const stopped = elector.stop();
  await clock.advance(1000);
  await stopped;
  expect(log).toEqual([]);
  expect(server.lease?.spec.holderIdentity).toBe("");
});

test("a leader whose lease another client edited writes it again at once, as it has to be", async () => {
  const { clock, server, elector, requests, log } = watched();
  elector.start();
  await clock.advance(1000);
  server.edit({ leaseDurationSeconds: 3600 });
  await clock.advance(1000);
  expect(requests.slice(2)).toEqual(["2000 PUT", "2000 GET", "2000 PUT"]);
  expect(server.lease?.spec.leaseDurationSeconds).toBe(15);
  expect(log).toEqual(["started 0"]);
  await elector.stop();
});

test("who owns the lease only after the renew deadline does not lead by that", async () => {
  let isSlow = true;
  const { clock, elector, log } = watched(async ({ method }) => {
    if (method !== "POST" || !isSlow) return;
    isSlow = false;
    await sleep(clock, 10_500);
  });
  elector.start();
  await clock.advance(10_600);
  expect(log).toEqual([]);
  await clock.advance(5000);
  expect(log).toEqual(["started 0"]);
  await elector.stop();
});

test("each other leader is announced once, and need not be", async () => {
  const leaders: string[] = [];
  const { clock, server, elector, errors } = watched(undefined, {
    onNewLeader: (identity) => void leaders.push(identity),
  });
  elector.start();
  await clock.advance(1000);
  server.rob("b");
  await clock.advance(10_000);
  server.rob("c");
  await clock.advance(10_000);
  expect(leaders).toEqual(["b", "c"]);
  expect(elector.leader).toBe("c");
  await elector.stop();

  const bare = createElector({
    client: server.client("d"),
    namespace: "ns",
    name: "main",
    identity: "d",
    clock,
    onStarted: () => undefined,
    onError: (error) => void errors.push(String(error)),
  });
  bare.start();
  await clock.advance(40_000);
  expect(bare.isLeader).toBe(true);
  server.rob("e");
  await clock.advance(10_000);
  await bare.stop();
  expect(errors).toEqual([]);
});

test.each([{}, { isShared: true } as const])(
  "a lease without a spec, as a person may create it, belongs to no candidate: %j",
  async (more) => {
    const { clock, elector, log, server } = watched(undefined, more);
    await server.client("kubectl").request({
      method: "POST",
      path: "",
      body: { metadata: { name: "main", namespace: "ns" } },
    });
    elector.start();
    await clock.advance(100);
    expect(log).toEqual(["started 0"]);
    await elector.stop();
  },
);

test("after an error it waits for the next period, and after a conflict it looks at once", async () => {
  let code = 500;
  const { clock, elector, requests, errors } = watched(({ method }) => {
    if (method === "POST" && code > 0) throw apiError(code);
  });
  elector.start();
  await clock.advance(100);
  expect(requests).toEqual(["0 GET", "0 POST"]);
  expect(errors).toEqual([expect.stringContaining("500")]);
  expect(elector.leader).toBeUndefined();
  code = 409;
  await clock.advance(3000);
  expect(requests.slice(2)).toEqual(["2200 GET", "2200 POST", "2200 GET", "2200 POST"]);
  expect(errors).toHaveLength(1);
  code = 0;
  await clock.advance(3000);
  expect(elector.isLeader).toBe(true);
  await elector.stop();
});

test("an error after a conflict is reported", async () => {
  let gets = 0;
  const { clock, elector, errors } = watched(({ method }) => {
    if (method === "POST") throw apiError(409);
    gets += 1;
    if (gets === 2) throw apiError(503);
  });
  elector.start();
  await clock.advance(100);
  expect(errors).toEqual([expect.stringContaining("503")]);
  await elector.stop();
});

test("what fails to stop is reported, and the lease is released all the same", async () => {
  const { clock, server, elector, errors } = watched(undefined, {
    onStopped: () => Promise.reject(new Error("still busy")),
  });
  elector.start();
  await clock.advance(100);
  await elector.stop();
  expect(errors).toEqual(["Error: still busy"]);
  expect(server.lease?.spec.holderIdentity).toBe("");
});

test.each([
  [409, []],
  [500, [expect.stringContaining("500")]],
])("a release that fails with %d: what is reported", async (code, reported) => {
  let isStopping = false;
  const { clock, elector, errors } = watched(() => {
    if (isStopping) throw apiError(code);
  });
  elector.start();
  await clock.advance(100);
  isStopping = true;
  await elector.stop();
  expect(errors).toEqual(reported);
});

test("only who owns the lease for itself releases it", async () => {
  const follower = watched();
  const leader = candidate(follower.server, follower.clock, "b");
  leader.elector.start();
  await follower.clock.advance(0);
  follower.elector.start();
  await follower.clock.advance(100);
  await follower.elector.stop();
  expect([follower.requests, follower.errors]).toEqual([["0 GET"], []]);
  expect(leader.elector.isLeader).toBe(true);
  await leader.elector.stop();

  const { clock, server, elector, log } = watched(undefined, { isShared: true });
  elector.start();
  await clock.advance(100);
  await elector.stop();
  expect(log).toEqual(["started 0", "lost", "stopped"]);
  expect(server.lease?.spec.holderIdentity).toBe("a");
});
