// What remains of a federation that was stopped: no connection, no timer, no request.
import { manualClock } from "@plimsoll/component-base/testing";
import { generateServingCertificate } from "@plimsoll/kube/serving";
import { until } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { externalAdapter, startBackend } from "../fake/backend-server.ts";
import { entry, startFederation, summary } from "../fake/start-federation.ts";

const all = ', match: {metrics: ["*"]}';
const metric = "external.metrics.k8s.io/v1beta1/namespaces/shop/";

/** Answers nothing about metrics whose name begins with "slow". */
async function halfSilent() {
  return startBackend((request, response) => {
    if (!(request.url ?? "").includes("/slow")) externalAdapter("queue")(request, response);
  });
}

test("a request that is in flight ends when the federation stops, and is not sent once more", async () => {
  const clock = manualClock(1_000_000);
  const backend = await halfSilent();
  const { federation, get } = await startFederation(entry("keda", backend.url, all), { clock });
  // Over a connection that was used before: such a request is tried again when its connection is cut.
  expect(summary(await get(`${metric}queue`))).toContain("200 ");
  const waiting = [get(`${metric}slow`), get(`${metric}slow`), get(`${metric}slow`)];
  const slow = () => backend.requests.filter(({ path }) => path.endsWith("/slow"));
  await until("they are in flight", () => slow().length === 3);
  federation.stop();
  for (const result of await Promise.all(waiting))
    expect(summary(result)).toBe("canceled: backend keda: the adapter stops");
  await until("no connection remains", () => backend.sockets.size === 0);
  expect(slow()).toHaveLength(3);
  expect(clock.pendingTimers).toBe(0);
  expect(summary(await get(`${metric}queue`))).toContain("canceled: ");
  expect(backend.sockets.size).toBe(0);
});

test("connections that a new CA has replaced end as well", async () => {
  const clock = manualClock(1_000_000);
  const other = await generateServingCertificate(["127.0.0.1"], Date.now());
  const backend = await halfSilent();
  const { federation, get, files } = await startFederation(
    entry("keda", backend.url, `${all}, timeout : 60s`),
    { clock },
  );
  const waiting = get(`${metric}slow`);
  await until("it is in flight", () => backend.requests.some(({ path }) => path.endsWith("/slow")));
  files.set("/ca", other.caPem);
  await clock.advance(10_000);
  federation.stop();
  expect(summary(await waiting)).toContain("canceled: ");
  await until("no connection remains", () => backend.sockets.size === 0);
  expect(clock.pendingTimers).toBe(0);
});

test("a list that is being read is not read further after the stop", async () => {
  const clock = manualClock(1_000_000);
  const backend = await startBackend(() => {});
  const { federation } = await startFederation(entry("keda", backend.url, all), { clock });
  await until("the list is requested", () => backend.requests.length === 1);
  federation.stop();
  await until("no connection remains", () => backend.sockets.size === 0);
  await clock.advance(600_000);
  expect(backend.requests).toHaveLength(1);
  expect(backend.sockets.size).toBe(0);
  expect(clock.pendingTimers).toBe(0);
});
