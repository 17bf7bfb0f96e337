// Leases that are removed or given away by hand.
import { leaseNamespace } from "../autoscaler/flags.ts";
import type { FaultKind, World } from "../run/world.ts";
import { numberOf, spreadDuration, textOf } from "./details.ts";
import { createThief, endings, leaseResource as resource } from "./lease-thief.ts";

function leasesOf({ cluster: { store } }: World) {
  return store.list(resource, leaseNamespace).filter(({ metadata }) => metadata.name.startsWith("plimsoll-"));
}

export const leaseFaults: Readonly<Record<string, FaultKind>> = {
  "lease-deleted": {
    draw: (random, { coordination }) => (coordination === "alone" ? undefined : { which: random.next() }),
    weight: 2,
    begin(world, event) {
      const leases = leasesOf(world);
      const lease = leases[Math.floor(numberOf(event, "which") * leases.length)];
      if (lease !== undefined)
        world.cluster.as("user", (store) => store.delete(resource, leaseNamespace, lease.metadata.name));
      return undefined;
    },
  },
  "leases-deleted": {
    draw: (_, { coordination }) => (coordination === "alone" ? undefined : {}),
    weight: 0.5,
    begin(world) {
      for (const { metadata } of leasesOf(world))
        world.cluster.as("user", (store) => store.delete(resource, leaseNamespace, metadata.name));
      return undefined;
    },
  },
  /** Leases of shards, one after the other: who lost one may take another one. */
  "slots-deleted": {
    draw: (_, { coordination }) => (coordination === "shards" ? {} : undefined),
    maxForMs: 60_000,
    begin(world, event) {
      const random = world.random.stream(`event ${String(event.id)}`);
      let isOver = false;
      const next = (): void => {
        if (isOver) return;
        const slots = leasesOf(world).filter(({ metadata }) => metadata.name.includes("-slot-"));
        const slot = slots[Math.floor(random.next() * slots.length)];
        if (slot !== undefined)
          world.cluster.as("user", (store) => store.delete(resource, leaseNamespace, slot.metadata.name));
        world.time.after(random.between(300, 2000), next);
      };
      next();
      return () => (isOver = true);
    },
  },
  /** Another installation takes the lease of the leader, and never renews it. */
  "lease-stolen": {
    draw: (_, { coordination }) => (coordination === "leader" ? {} : undefined),
    begin(world) {
      for (const lease of leasesOf(world)) {
        const spec = { ...(lease.spec as object), holderIdentity: "thief", leaseDurationSeconds: 15 };
        world.cluster.as("user", (store) => store.update(resource, { ...lease, spec }));
      }
      return undefined;
    },
  },
  /** Another client takes the lease of a shard or of a member, writes it as it likes for a while, and lets go of it. */
  "shard-lease-stolen": {
    draw: (random, { coordination }) =>
      coordination === "shards"
        ? {
            of: random.pick(["slot", "slot", "member"]),
            which: random.next(),
            everyMs: spreadDuration(random.next(), 300, 20_000),
            ending: random.pick(endings),
          }
        : undefined,
    weight: 2,
    maxForMs: 2 * 60_000,
    begin(world, event) {
      const leases = leasesOf(world).filter(({ metadata }) =>
        metadata.name.includes(`-${textOf(event, "of")}-`),
      );
      const lease = leases[Math.floor(numberOf(event, "which") * leases.length)];
      if (lease === undefined) return undefined;
      const thief = createThief(world, world.random.stream(`fault ${event.id}`), lease);
      let isOver = false;
      const act = (): void => {
        if (isOver) return;
        thief.act();
        world.time.after(numberOf(event, "everyMs"), act);
      };
      world.time.after(numberOf(event, "everyMs"), act);
      return () => {
        isOver = true;
        thief.letGo(endings.find((one) => one === event.details["ending"]) ?? "released");
      };
    },
  },
};
