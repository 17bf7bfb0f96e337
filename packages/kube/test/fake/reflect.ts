// A reflector on a manual clock, of a server that follows a script.
import { type ManualClock, manualClock } from "@plimsoll/component-base/testing";
import {
  type Change,
  createReflector,
  type KubeObject,
  type Reflector,
  type ReflectorOptions,
} from "@plimsoll/kube";
import { waitLimitMs } from "@plimsoll/testbed/world";
import { onTestFinished } from "vitest";
import { clientFor, counting } from "./client-for.ts";
import { type ListWatchServer, startListWatchServer } from "./list-watch.ts";

interface Setup {
  readonly server: ListWatchServer;
  readonly reflector: Reflector<KubeObject>;
  readonly clock: ManualClock;
  readonly changes: string[];
  readonly errors: unknown[];
  /** Sets the wall clock of the reflector; its steady clock and its timers follow `clock`. */
  setWallClock(byMs: number): void;
  /** Lets the manual clock run until the condition holds; returns how much time that took. */
  wait(what: string, condition: () => boolean): Promise<number>;
}

export async function setUp(
  script: (server: ListWatchServer) => void,
  options: Partial<ReflectorOptions<KubeObject>> = {},
): Promise<Setup> {
  const server = await startListWatchServer();
  script(server);
  const clock = manualClock(1_000_000);
  let aheadMs = 0;
  const errors: unknown[] = [];
  const changes: string[] = [];
  const client = counting(await clientFor(server.url));
  const reflector = createReflector<KubeObject>({
    client,
    path: "/api/v1/pods",
    clock: { ...clock, nowMs: () => clock.nowMs() + aheadMs, steadyMs: () => clock.nowMs() },
    random: () => 0.5,
    onError: (error) => errors.push(error),
    ...options,
  });
  reflector.subscribe((change) => changes.push(describe(change)));
  onTestFinished(() => reflector.stop());
  reflector.start();
  const wait = async (what: string, condition: () => boolean) => {
    const startedAtMs = clock.nowMs();
    // Real time must pass for the sockets, manual time for the timers, and that only while nothing is on its way.
    const endMs = performance.now() + waitLimitMs;
    while (!condition()) {
      if (performance.now() > endMs) throw new Error(`still not so: ${what}`);
      if (client.waiting === 0) await clock.advance(50);
      // Looks again.
      await new Promise((resolve) => {
        setTimeout(resolve, 1);
      });
    }
    return clock.nowMs() - startedAtMs;
  };
  const setWallClock = (byMs: number) => {
    aheadMs += byMs;
  };
  return { server, reflector, clock, changes, errors, setWallClock, wait };
}

function describe(change: Change<KubeObject>): string {
  const { metadata } = change.object;
  const before =
    change.previous === undefined ? "" : ` was ${change.previous.metadata.resourceVersion ?? ""}`;
  return `${change.type} ${metadata.name}@${metadata.resourceVersion ?? ""}${before}`;
}

export const names = (objects: readonly KubeObject[]) => objects.map((object) => object.metadata.name).sort();
