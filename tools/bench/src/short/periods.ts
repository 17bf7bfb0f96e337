// The autoscaler at two sizes: CPU against a reader of the same usage, memory and scrape against the objects as JSON.
import { connect } from "@plimsoll/kube";
import { until } from "@plimsoll/testbed";
import { type Fleet, liveBytes, measureUntil, microsEach, startFleet, type Window } from "../goals/fleet.ts";
import type { Session } from "../goals/session.ts";
import { usageFloor } from "../goals/usage-floor.ts";
import type { Check } from "./check.ts";

/** Below twice what was seen. */
const bounds = { cpu: 11, scrape: 0.4, memory: 2.6, usageRequests: 1.6 };
const [few, many] = [400, 1600];
const fleet = { pods: 15, periodSeconds: 3, probe: "heap" } as const;
const objectsPerNamespace = 50;
const settlePeriods = 5;
const measuredPeriods = 8;
const limitSeconds = 600;

interface Size {
  readonly window: Window;
  readonly live: number;
  readonly usageRequests: number;
  readonly floorSeconds: number;
  /** Of an object with its pods, as the API server sends them. */
  readonly jsonBytes: number;
}

export async function measurePeriods(session: Session): Promise<readonly Check[]> {
  const [small, large] = [await measureSize(session, few), await measureSize(session, many)];
  const each = (of: (size: Size) => number): number => (of(large) - of(small)) / (many - few);
  const [scrape, live] = [each(({ window }) => window.scrapeBytes), each((size) => size.live)];
  const [micros, floor] = [microsEach(large.window), (large.floorSeconds / many) * 1e6];
  const { jsonBytes } = large;
  const evaluations = large.window.evaluations / objectsPerNamespace;
  const kilobytes = (bytes: number): string => (bytes / 1000).toFixed(1);
  return [
    {
      what: "autoscaler, an evaluation / reading its pods' usage",
      ratio: micros / floor,
      atMost: bounds.cpu,
      of: `${micros.toFixed(0)} and ${floor.toFixed(0)} µs`,
    },
    {
      what: "autoscaler, live heap of an object / its JSON",
      ratio: live / jsonBytes,
      atMost: bounds.memory,
      of: `${kilobytes(live)} and ${kilobytes(jsonBytes)} kB`,
    },
    {
      what: "autoscaler, a scrape's bytes for an object / its JSON",
      ratio: scrape / jsonBytes,
      atMost: bounds.scrape,
      of: `${kilobytes(scrape)} and ${kilobytes(jsonBytes)} kB`,
    },
    {
      what: "autoscaler, requests for usage / evaluations of 50 objects",
      ratio: large.usageRequests / evaluations,
      atMost: bounds.usageRequests,
      of: `${large.usageRequests} and ${evaluations.toFixed(0)}`,
    },
  ];
}

async function measureSize(session: Session, objects: number): Promise<Size> {
  const running = await startFleet(session, { objects, ...fleet });
  try {
    await waitForPeriods(running, settlePeriods);
    const before = await usageRequestsTo(running);
    // Of the smaller one only sizes count.
    const more = (objects === few ? 1 : measuredPeriods) * namespacesOf(running);
    const window = await measureUntil(running, async (elapsed) => {
      return elapsed > limitSeconds || (await usageRequestsTo(running)) >= before + more;
    });
    const usageRequests = (await usageRequestsTo(running)) - before;
    const [live, jsonBytes] = [await liveBytes(running), await bytesOfObject(running)];
    const floorSeconds = objects === few ? NaN : await usageFloor(running, 8);
    session.progress(`${objects} objects have been measured`);
    return { window, live, usageRequests, floorSeconds, jsonBytes };
  } finally {
    await running.stop();
  }
}

/** On a busy machine periods take longer: each has one request for the usage of each namespace. */
async function waitForPeriods(running: Fleet, periods: number): Promise<void> {
  const requests = periods * namespacesOf(running);
  const isReached = async (): Promise<true | undefined> =>
    (await usageRequestsTo(running)) >= requests ? true : undefined;
  await until("evaluations of all objects", isReached, { timeoutMs: limitSeconds * 1000, everyMs: 500 });
}

async function usageRequestsTo({ cluster }: Fleet): Promise<number> {
  return (await cluster.counts())["metrics"] ?? 0;
}

function namespacesOf({ objects }: Fleet): number {
  return objects / objectsPerNamespace;
}

async function bytesOfObject({ kubeconfig, pods }: Fleet): Promise<number> {
  const client = await connect({ kubeconfig, userAgent: "floor" });
  try {
    // A machine that does much else may take longer for a connection than the client waits.
    const bytes = (path: string): Promise<number> =>
      until(path, async () => JSON.stringify(await client.request({ path })).length);
    const hpa = await bytes("/apis/autoscaling/v2/namespaces/bench-0/horizontalpodautoscalers/w-0");
    return hpa + pods * (await bytes("/api/v1/namespaces/bench-0/pods/w-0-0"));
  } finally {
    await client.close();
  }
}
