import { expect, test } from "vitest";
import { scaleStatusFaults } from "../../src/faults/scale-statuses.ts";
import type { NetworkFault } from "../../src/network/network.ts";
import { createRandom } from "../../src/random/random.ts";
import type { World } from "../../src/run/world.ts";
import { createVirtualTime } from "../../src/time/virtual-time.ts";

const scale = "/apis/apps/v1/namespaces/default/deployments/shop/scale";
const status = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers/shop/status";

function rig(fate: string) {
  const time = createVirtualTime(0);
  const random = createRandom(1);
  const changes: string[] = [];
  let fault: NetworkFault | undefined;
  const world = {
    time,
    network: {
      add(added: NetworkFault) {
        fault = added;
        return () => (fault = undefined);
      },
    },
    processes: {
      get: (name: string) => ({ kill: () => changes.push(`kill ${name}`) }),
      start: (name: string) => changes.push(`start ${name}`),
    },
  } as unknown as World;
  const details = { process: "autoscaler-0", fate, windowMs: 10_000, lateMs: 3000 };
  const event = { id: 1, atMs: 0, forMs: 60_000, kind: "status-lost-after-scaling", details };
  const begin = () => scaleStatusFaults["status-lost-after-scaling"]?.begin(world, event);
  const fateOf = (method: "GET" | "PUT", path: string, caller = "autoscaler-0") =>
    fault?.ofRequest?.(
      { method, path, query: new URLSearchParams(), headers: {}, body: undefined, caller },
      random,
    );
  return { time, begin, fateOf, changes, isInPlace: () => fault !== undefined };
}

test("statuses are refused for a while after the process wrote replicas, and those of others are not", async () => {
  const { time, begin, fateOf, isInPlace } = rig("refused");
  const end = begin();
  fateOf("GET", scale);
  fateOf("PUT", scale, "autoscaler-1");
  expect(fateOf("PUT", status)).toBeUndefined();
  expect(fateOf("PUT", scale)).toBeUndefined();
  expect(fateOf("PUT", status)).toEqual({ type: "status", code: 500 });
  expect(fateOf("GET", status)).toBeUndefined();
  expect(fateOf("PUT", status, "autoscaler-1")).toBeUndefined();
  await time.runUntil(10_000);
  expect(fateOf("PUT", status)).toBeUndefined();
  end?.();
  expect(isInPlace()).toBe(false);
});

test.each([
  ["conflict", { type: "status", code: 409 }],
  ["lost", { type: "lost-before", isReset: true }],
  ["unconfirmed", { type: "lost-after", isReset: true }],
  ["late", { type: "delay", requestMs: 3000, responseMs: 10 }],
])("a status is %s", (fate, expected) => {
  const { begin, fateOf } = rig(fate);
  begin();
  fateOf("PUT", scale);
  expect(fateOf("PUT", status)).toEqual(expected);
});

test("the process is killed when it sends a status, and is started again", async () => {
  const { time, begin, fateOf, changes } = rig("killed");
  begin();
  fateOf("PUT", scale);
  fateOf("PUT", status);
  expect(fateOf("PUT", status)).toBeUndefined();
  await time.runUntil(6000);
  expect(changes).toEqual(["kill autoscaler-0", "start autoscaler-0"]);
});

test("a fate that there is not is an error", () => {
  expect(() => rig("eaten").begin()).toThrow('there is no fate "eaten"');
});
