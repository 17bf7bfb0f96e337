// The number of shards is changed in rolling updates and back, with the processes of before and after side by side.
import { isDeepStrictEqual } from "node:util";
import { type PlimsollProcess, startPlimsoll, until } from "@plimsoll/testbed";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ownLease, pace, type TemporaryCluster, temporaryCluster } from "./fixture.ts";
import { depthFor, followsQueue, queue, workload } from "./targets.ts";

const names = Array.from({ length: 24 }, (_, index) => `shop-${index}`);
const load = "all";
/** Processes of one Deployment. */
const members = 2;

let cluster: TemporaryCluster;

/** A process with its own user, which identifies its writes in the audit log. */
interface Member {
  readonly user: string;
  readonly process: PlimsollProcess;
}

let running: readonly Member[] = [];

beforeAll(async () => {
  cluster = await temporaryCluster({
    loads: [queue(load, depthFor(2))],
    // Paused before it has a ReplicaSet: replicas are written, and no pods run.
    workloads: names
      .map((name) => workload("Deployment", name).replace("  replicas: 1", "  paused: true\n  replicas: 1"))
      .join(""),
    audit: true,
  });
  await cluster.stack.apply(
    names
      .map((name) =>
        followsQueue(name, { apiVersion: "apps/v1", kind: "Deployment" }).replace(
          `queue: ${name} `,
          `queue: ${load} `,
        ),
      )
      .join(""),
  );
});

afterAll(async () => {
  await Promise.all(running.map(({ process }) => process.stop()));
  await cluster?.stop();
});

test.each([
  ["a leader", 1],
  ["4 shards", 4],
  ["8 shards", 8],
  ["4 shards again", 4],
  ["a leader again", 1],
])("a rolling update to %s leaves one writer to each object, and all are scaled", async (_, shards) => {
  const before = running;
  const sinceMs = Date.now();
  const stopLoad = alternate();
  const stopWatch = watchOwners();
  for (let n = 0; n < members; n++) {
    running = [...running, await start(shards, running.length)];
    const [oldest, ...others] = running;
    if (before.length === 0 || oldest === undefined) continue;
    running = others;
    await oldest.process.stop();
  }
  await stopLoad();
  expect(await stopWatch()).toEqual([]);
  await scaledTo(3 + (shards % 3));
  const users = running.map(({ user }) => user);
  const writes = scaleWrites(sinceMs);
  for (const name of names) {
    const last = writes.findLast((write) => write.name === name);
    expect(users).toContain(last?.user);
  }
  // Shards move once more when the last process of before has ended.
  await until("each object to have an owner", async () => {
    const owned = await Promise.all(running.map(ownedBy));
    return isDeepStrictEqual(owned.flatMap((has) => [...has]).toSorted(), names.toSorted()) || undefined;
  });
  for (const { process } of running)
    expect(await metricsOf(process)).not.toMatch(/^plimsoll_foreign_writers_total\{.*\} [1-9]/m);
  expect(await cluster.kubectl("get", "events", "-A")).not.toContain("ForeignWriter");
  expect(cluster.troubles).toEqual([]);
});

async function metricsOf({ port }: PlimsollProcess): Promise<string> {
  return await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
}

/** The objects that a process has: it reports those alone. */
async function ownedBy({ process }: Member): Promise<ReadonlySet<string>> {
  const page = await metricsOf(process).catch(() => "");
  const series = page.matchAll(
    /^plimsoll_horizontalpodautoscaler_info\{.*?horizontalpodautoscaler="(.*?)"/gm,
  );
  return new Set([...series].map(([, name]) => name ?? ""));
}

/** Looks for objects that a process has before and after another one has them. Returns what finds them. */
function watchOwners(): () => Promise<readonly string[]> {
  const found = new Set<string>();
  const done = repeat(100, async () => {
    for (const one of running) for (const shared of await sharedBy(one)) found.add(shared);
  });
  return async () => {
    await done();
    return [...found];
  };
}

async function sharedBy(one: Member): Promise<readonly string[]> {
  const others = running.filter((other) => other !== one);
  const before = await ownedBy(one);
  const between = await Promise.all(others.map(ownedBy));
  const after = await ownedBy(one);
  return between.flatMap((has, index) =>
    [...has]
      .filter((name) => before.has(name) && after.has(name))
      .map((name) => `${name}: ${one.user} and ${others[index]?.user}`),
  );
}

/** Until the result is called. */
function repeat(everyMs: number, act: (turn: number) => Promise<void> | void): () => Promise<void> {
  const ending = new AbortController();
  const done = (async () => {
    for (let turn = 0; !ending.signal.aborted; turn++) {
      await act(turn);
      // A rate: of looks, or of changes of the load.
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
  })();
  return async () => {
    ending.abort();
    await done;
  };
}

let started = 0;

async function start(shards: number, beside: number): Promise<Member> {
  const user = `autoscaler-${++started}`;
  const process = await startPlimsoll("autoscaler", [
    `--kubeconfig=${await cluster.stack.kubeconfigForUser(user, ["system:masters"])}`,
    "--manage-hpas=all",
    ...pace,
    "--horizontal-pod-autoscaler-downscale-stabilization=0s",
    ownLease,
    "--leader-elect-lease-duration=4s",
    "--leader-elect-renew-deadline=3s",
    "--leader-elect-retry-period=500ms",
    ...(shards > 1 ? [`--shards=${shards}`] : []),
    "--bind-address=127.0.0.1",
    "--secure-port=0",
    "--port=0",
  ]);
  if (beside > 0) await isReady(process);
  return { user, process };
}

/** As a Deployment waits before it stops a process of before. */
async function isReady({ port }: PlimsollProcess): Promise<void> {
  await until("a ready process", async () => {
    const { ok } = await fetch(`http://127.0.0.1:${port}/readyz`);
    return ok || undefined;
  });
}

/** Each evaluation writes: the load is another every second. Returns what stops that. */
function alternate(): () => Promise<void> {
  return repeat(1000, (turn) =>
    cluster.stack.load.set(`default/${load}`, depthFor(6 + (turn % 2) * 3), "queue"),
  );
}

async function scaledTo(count: number): Promise<void> {
  cluster.stack.load.set(`default/${load}`, depthFor(count), "queue");
  await until(
    `${count} replicas of each`,
    async () => {
      const { items } = await cluster.stack.client.request<{
        items: readonly { readonly spec: { readonly replicas: number } }[];
      }>({ path: "/apis/apps/v1/namespaces/default/deployments" });
      return items.every(({ spec }) => spec.replicas === count) || undefined;
    },
    { timeoutMs: 60_000, everyMs: 250 },
  );
}

interface Write {
  readonly name: string;
  readonly user: string;
}

function scaleWrites(sinceMs: number): readonly Write[] {
  return cluster.stack
    .audited()
    .filter(
      ({ verb, resource, code, atMs }) =>
        verb === "update" && resource === "deployments.apps/scale" && code === 200 && atMs >= sinceMs,
    )
    .toSorted((a, b) => a.atMs - b.atMs);
}
