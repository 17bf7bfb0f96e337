import { type PlimsollProcess, startPlimsoll, until } from "@plimsoll/testbed";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ownLease } from "./fixture.ts";
import { type ScaleWrite, type Stage, stages } from "./stages.ts";
import { depthFor, followsQueue, queue, workload } from "./targets.ts";

const names = Array.from({ length: 16 }, (_, index) => `queue-${index}`);
const falling = names.slice(0, 8);
const rising = names.slice(8);

const windowMs = 4_000;
const leaseMs = 4_000;
const retryMs = 500;
const leaderPeriodMs = 1_000;
const shards = 8;
const shardPeriodMs = 5_000;
/** A lease of shards lasts two thirds of the period; a candidate looks at least every 0.7 s. */
const shardLeaseMs = (shardPeriodMs * 2) / 3;
const shardRetryMs = 700;
/** For a scrape, a response, and a machine that has other things to do. */
const slackMs = 3_000;

const leading = [
  `--horizontal-pod-autoscaler-sync-period=${leaderPeriodMs}ms`,
  `--leader-elect-lease-duration=${leaseMs}ms`,
  "--leader-elect-renew-deadline=3s",
  `--leader-elect-retry-period=${retryMs}ms`,
];
const sharing = [`--shards=${shards}`, `--horizontal-pod-autoscaler-sync-period=${shardPeriodMs}ms`];

interface Change {
  readonly atMs: number;
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

interface Autoscaler extends PlimsollProcess {
  readonly user: string;
}

describe.each(stages)("on %s", (_, start) => {
  let stage: Stage;
  const running: Autoscaler[] = [];
  const changes: Change[] = [];
  const counts = new Map<string, number>();

  beforeAll(async () => {
    stage = await start({
      loads: names.map((each) => queue(each, depthFor(1))),
      workloads: names.map((each) => workload("Deployment", each)).join(""),
    });
    for (const each of names) counts.set(each, 1);
    stage.store.subscribe(({ resource, object }) => {
      if (resource !== "deployments.apps") return;
      const to = (object.spec as { readonly replicas: number }).replicas;
      const from = counts.get(object.metadata.name) ?? 0;
      if (from === to) return;
      counts.set(object.metadata.name, to);
      changes.push({ atMs: Date.now(), name: object.metadata.name, from, to });
    });
    await stage.apply(
      names.map((each) => followsQueue(each, { apiVersion: "apps/v1", kind: "Deployment" })).join(""),
    );
  });

  afterAll(async () => {
    await Promise.all(running.map((each) => each.stop()));
    await stage?.stop();
  });

  test("of two processes one manages; when it is killed the other goes on, and scales nothing down early", async () => {
    const first = await run("first", leading);
    await until("the first to lead", () => gainedAt(first));
    const second = await run("second", leading);
    await levelOut(names, 2);
    expect(writersOf(stage.scaleWrites())).toEqual(new Set(["first"]));

    load(falling, 1);
    await until(
      "the leader to see the fall",
      () => falling.every((each) => averageOf(each) === "13") || undefined,
    );
    load(rising, 3);
    const killedAt = Date.now();
    await kill(first);
    const limitMs = leaseMs + 2 * retryMs + leaderPeriodMs + slackMs;
    await levelOut(rising, 3, limitMs);
    await levelOut(falling, 1, limitMs + windowMs);

    const tookOverAt = gainedAt(second) ?? Number.NaN;
    expect(tookOverAt).toBeGreaterThan(killedAt);
    const downs = changes.filter(({ from, to }) => to < from);
    expect(downs.map(({ from, to }) => [from, to])).toEqual(falling.map(() => [2, 1]));
    for (const { atMs } of downs) expect(atMs).toBeGreaterThanOrEqual(tookOverAt + windowMs);
    expectOneWriter(stage.scaleWrites());
    expect(writersOf(stage.scaleWrites().filter(({ atMs }) => atMs > killedAt))).toEqual(new Set(["second"]));
  });

  test("an API server that is gone for longer than the lease finds a leader again, and nothing scaled twice", async () => {
    const leader = running.find(({ user }) => user === "second");
    const outage = stage.killApiServer(leaseMs);
    load(names, 4);
    await until("the leader to release", () => countLines(leader, '"objects lost"') === 1 || undefined);
    await outage;
    await levelOut(names, 4);
    expect(countLines(leader, '"objects gained"')).toBe(2);
    expectOneWriter(stage.scaleWrites());
    expect(changes.filter(({ to }) => to === 4)).toHaveLength(names.length);
  });

  test("several processes share the objects; what one had is another's within a period and a lease", async () => {
    await Promise.all(running.splice(0).map((each) => each.stop()));
    const members = await Promise.all(["red", "green", "blue"].map((user) => run(user, sharing, "shards")));
    await until("the slots to be shared", async () => {
      const held = await Promise.all(members.map(slotsHeld));
      return JSON.stringify(held.toSorted((a, b) => a - b)) === "[2,3,3]" || undefined;
    });
    const from = stage.scaleWrites().length;
    await levelOut(names, 5, shardPeriodMs + slackMs);
    const before = ownersOf(stage.scaleWrites().slice(from));
    expect([...before.keys()].toSorted()).toEqual(names.toSorted());
    expect(new Set(before.values())).toEqual(new Set(["red", "green", "blue"]));

    const [lost] = members;
    if (lost === undefined) throw new Error("there are members");
    await kill(lost);
    const since = stage.scaleWrites().length;
    await levelOut(names, 6, shardLeaseMs + shardRetryMs + shardPeriodMs + slackMs);
    const after = ownersOf(stage.scaleWrites().slice(since));
    const isKept = ([each, user]: readonly [string, string]) => after.get(each) === user;
    expect([...before].filter(isKept)).toEqual([...before].filter(([, user]) => user !== lost.user));
    expectOneWriter(stage.scaleWrites());
  });

  async function run(user: string, flags: readonly string[], component?: "shards"): Promise<Autoscaler> {
    const child = await startPlimsoll("autoscaler", [
      `--kubeconfig=${await stage.kubeconfigForAutoscaler(user, component)}`,
      "--manage-hpas=all",
      `--horizontal-pod-autoscaler-downscale-stabilization=${windowMs}ms`,
      ...flags,
      ownLease,
      "--port=0",
    ]);
    const autoscaler = Object.assign(child, { user });
    running.push(autoscaler);
    return autoscaler;
  }

  async function kill(autoscaler: Autoscaler): Promise<void> {
    process.kill(autoscaler.pid, "SIGKILL");
    await autoscaler.exited;
  }

  function load(which: readonly string[], replicas: number): void {
    for (const each of which) stage.load.set(`default/${each}`, depthFor(replicas), "queue");
  }

  /** Sets the load, and waits until the counts are what it asks for; a time that is given is what the test is about. */
  async function levelOut(which: readonly string[], replicas: number, timeoutMs = 100_000): Promise<void> {
    load(which, replicas);
    const apart = () => which.filter((each) => counts.get(each) !== replicas);
    await until(`${replicas} replicas`, () => apart().length === 0 || undefined, { timeoutMs }).catch(
      (error: unknown) => {
        const found = apart().map((each) => `${each}: ${counts.get(each)}`);
        throw new Error(`not at ${replicas}: ${found.join(", ")}`, { cause: error });
      },
    );
  }

  /** What the autoscaler of this name read last, per pod. */
  function averageOf(each: string): string | undefined {
    const status = stage.store.get("horizontalpodautoscalers.autoscaling", "default", each)?.status;
    const { currentMetrics } = (status ?? {}) as {
      readonly currentMetrics?:
        | readonly { readonly external?: { readonly current: { readonly averageValue: string } } }[]
        | null;
    };
    return currentMetrics?.[0]?.external?.current.averageValue;
  }

  /** No count was written twice, and no process wrote after another had begun to. */
  function expectOneWriter(writes: readonly ScaleWrite[]): void {
    for (const each of names) {
      const own = writes.filter((write) => write.name === each).map(({ user }) => user);
      expect([each, own.length]).toEqual([each, changes.filter((change) => change.name === each).length]);
      const turns = own.filter((user, index) => user !== own[index - 1]);
      expect([each, turns]).toEqual([each, [...new Set(own)]]);
    }
  }
});

function writersOf(writes: readonly ScaleWrite[]): ReadonlySet<string> {
  return new Set(writes.map(({ user }) => user));
}

/** Who wrote each count. */
function ownersOf(writes: readonly ScaleWrite[]): ReadonlyMap<string, string> {
  const owners = new Map<string, string>();
  for (const { name, user } of writes) {
    if (owners.has(name)) throw new Error(`${name} was written by ${owners.get(name)}, and then by ${user}`);
    owners.set(name, user);
  }
  return owners;
}

/** When a process first had objects of its own. */
function gainedAt(autoscaler: Autoscaler): number | undefined {
  const line = autoscaler.lines.find((text) => text.includes('"objects gained"'));
  return line === undefined ? undefined : Date.parse((JSON.parse(line) as { time: string }).time);
}

function countLines(autoscaler: Autoscaler | undefined, part: string): number {
  return autoscaler?.lines.filter((line) => line.includes(part)).length ?? 0;
}

async function slotsHeld(autoscaler: Autoscaler): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${autoscaler.port}/metrics`)).text();
  return Number(/^plimsoll_shards_owned (\d+)$/m.exec(text)?.[1]);
}
