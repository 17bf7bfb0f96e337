import { manualClock } from "@plimsoll/component-base/testing";
import { ConnectionError, type KubeClient, type KubeRequest } from "@plimsoll/kube";
import { resourceInfo } from "@plimsoll/testbed/world/cluster";
import { expect, test } from "vitest";
import { fenced } from "../../src/leadership/fenced.ts";
import { setReplicas } from "../../src/reconcile/act/write-scale.ts";

const deployments = resourceInfo();
const ignore = () => {};

function clientOf(answer: (request: KubeRequest) => Promise<unknown>): KubeClient {
  return {
    server: "https://api",
    request: <T>(request: KubeRequest) => answer(request) as Promise<T>,
    stream: () => expect.fail("not asked for"),
    close: () => Promise.resolve(),
  };
}

test("writes check the permit when they are sent; reads do not", async () => {
  const seen: KubeRequest[] = [];
  let mayWrite = true;
  const client = fenced(
    clientOf((request) => Promise.resolve(seen.push(request))),
    () => mayWrite,
  );
  await client.request({ path: "/a" });
  await client.request({ method: "GET", path: "/b" });
  for (const method of ["PUT", "PATCH", "POST", "DELETE"] as const)
    await client.request({ method, path: "/c" });
  mayWrite = false;
  expect(seen.map(({ method, maySend }) => [method, maySend?.()])).toEqual([
    [undefined, undefined],
    ["GET", undefined],
    ["PUT", false],
    ["PATCH", false],
    ["POST", false],
    ["DELETE", false],
  ]);
});

test("a count whose process loses the object while the connection opens is not sent, and fails nothing", async () => {
  let mayWrite = true;
  const sent: string[] = [];
  const client = clientOf((request) => {
    // As when a process is suspended here.
    mayWrite = false;
    if (request.maySend?.() === false) return Promise.reject(new ConnectionError("aborted", "not sent"));
    sent.push(request.path);
    return Promise.resolve({ metadata: {}, spec: { replicas: 5 }, status: {} });
  });
  const written = await setReplicas(
    {
      info: deployments,
      scale: {
        metadata: { namespace: "default", name: "shop", resourceVersion: "7" },
        spec: { replicas: 3 },
        status: { replicas: 3, selector: "app=shop" },
      },
    },
    5,
    {
      client,
      clock: manualClock(0),
      random: () => 0,
      log: { debug: ignore, info: ignore, warn: ignore, error: ignore },
      targets: { seen: () => false, doubt: ignore },
      evenIfMoved: false,
      permit: { check: () => (mayWrite ? "granted" : "lost") },
      budget: { run: (_, write) => write() },
    },
  );
  expect(written).toEqual({ result: "fenced" });
  expect(sent).toEqual([]);
});
