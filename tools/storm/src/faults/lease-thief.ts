// Another client that takes a lease, writes it as it likes, and lets go of it.
import { minuteMs } from "@plimsoll/core/internal/values";
import type { StoredObject } from "@plimsoll/sandbox";
import { leaseNamespace } from "../autoscaler/flags.ts";
import type { Random } from "../random/random.ts";
import type { World } from "../run/world.ts";

export const leaseResource = "leases.coordination.k8s.io";

/** How it leaves a lease: without an owner, not at all, or in its name for as long as it lasts. */
export const endings = ["released", "deleted", "expires"] as const;

const thief = "thief";

interface Spec {
  readonly leaseTransitions?: number;
}

export interface Thief {
  /** One more write: most renew the lease. */
  act(): void;
  letGo(ending: (typeof endings)[number]): void;
}

/** Takes the lease at once. */
export function createThief(
  { cluster, time }: Pick<World, "cluster" | "time">,
  random: Random,
  { metadata: { name, labels = {} } }: StoredObject,
): Thief {
  const timeOf = (ms: number): string => new Date(ms).toISOString().replace("Z", "000Z");

  /** With these labels only, where some are given. */
  function write(spec: object, given?: Readonly<Record<string, string>>): void {
    cluster.as("user", (store) => {
      const current = store.get(leaseResource, leaseNamespace, name);
      const former = (current?.spec ?? {}) as Spec;
      const own = { holderIdentity: thief, leaseDurationSeconds: 15, renewTime: timeOf(time.nowMs) };
      const next = { ...former, ...own, leaseTransitions: (former.leaseTransitions ?? 0) + 1, ...spec };
      const metadata = current?.metadata ?? { name, namespace: leaseNamespace, labels };
      const lease = {
        ...current,
        metadata: given === undefined ? metadata : { ...metadata, labels: given },
        spec: next,
      };
      if (current === undefined) store.create(leaseResource, lease);
      else store.update(leaseResource, lease);
    });
  }

  function remove(): void {
    cluster.as("user", (store) => store.delete(leaseResource, leaseNamespace, name));
  }

  const acts: readonly [() => void, ...(() => void)[]] = [
    () => write({}),
    () => write({}),
    remove,
    // Times of another clock, and durations that are not those of the others.
    () => write({ renewTime: timeOf(time.nowMs + random.pick([-60, -1, 1, 60]) * minuteMs) }),
    () => write({ leaseDurationSeconds: random.pick([1, 5, 30]) }),
    () => write({ leaseTransitions: 0, acquireTime: timeOf(time.nowMs - minuteMs) }),
    // Lists do not show it any more.
    () => write({}, {}),
  ];

  write({});
  return {
    act: () => random.pick(acts)(),
    letGo(ending) {
      if (ending === "deleted") remove();
      else write(ending === "released" ? { holderIdentity: "", leaseDurationSeconds: 1 } : {});
    },
  };
}
