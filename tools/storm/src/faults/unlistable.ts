// Objects that cannot be listed: too large, not readable, or on a page that is too long.
import { mebibyte, minuteMs } from "@plimsoll/core/internal/values";
import type { ListedItem, NetworkFault } from "../network/network.ts";
import type { Random } from "../random/random.ts";
import type { FaultKind, World } from "../run/world.ts";
import type { PlannedEvent, Setup } from "../scenario/scenario.ts";
import { detailsOf, drawObject, pathOf, pluralOf } from "./autoscaling-objects.ts";
import { numberOf, textOf } from "./details.ts";
import { patchAsUser } from "./user-request.ts";

/** No client keeps an object of so many. */
const oversizedBytes = 8 * mebibyte;
const scaledKinds = ["HorizontalPodAutoscaler", "WorkloadAutoscaler"];

export const unlistableKinds = /^(object-unlistable|pages-too-long)$/;

function isListOf(plural: string, path: string): boolean {
  return path.endsWith(`/${plural}`);
}

/** All clients list again, because no watch can go on. */
function forceLists(world: World, fault: NetworkFault): () => void {
  const remove = world.network.add(fault);
  const reconnect = world.network.add({ ofWatch: () => ({ type: "cut" }) });
  world.cluster.compact();
  reconnect();
  return remove;
}

function drawUnlistable(random: Random, setup: Setup): Readonly<Record<string, unknown>> | undefined {
  const object = drawObject(random, setup, scaledKinds);
  return object && { ...detailsOf(object), isGarbage: random.chance(0.5) };
}

export const unlistableFaults: Readonly<Record<string, FaultKind>> = {
  /** One object is too large, or what etcd has of it is garbage; then a user puts it right. */
  "object-unlistable": {
    draw: drawUnlistable,
    minForMs: minuteMs,
    maxForMs: 15 * minuteMs,
    begin(world, event) {
      const plural = pluralOf(event);
      const isIt = ({ namespace, name }: ListedItem): boolean =>
        namespace === textOf(event, "namespace") && name === textOf(event, "name");
      const isGarbage = event.details["isGarbage"] === true;
      const bytes = isGarbage ? 1000 : oversizedBytes;
      const remove = forceLists(world, {
        ofItem: ({ path }, item) => (isListOf(plural, path) && isIt(item) ? { bytes, isGarbage } : undefined),
      });
      return () => {
        remove();
        touch(world, event);
      };
    },
  },
  /** Pages with more than a few objects are longer than any client reads. */
  "pages-too-long": {
    draw: (random) => ({
      plural: random.pick(["horizontalpodautoscalers", "workloadautoscalers", "pods", "deployments"]),
      mebibytes: random.pick([1, 3]),
    }),
    minForMs: minuteMs,
    maxForMs: 15 * minuteMs,
    begin: (world, event) =>
      forceLists(world, {
        ofItem: ({ path }) =>
          isListOf(textOf(event, "plural"), path)
            ? { bytes: numberOf(event, "mebibytes") * mebibyte }
            : undefined,
      }),
  },
};

/** An edit that every watch shows. */
function touch({ cluster, time }: World, event: PlannedEvent): void {
  patchAsUser(cluster, pathOf(event), { metadata: { labels: { touched: String(time.nowMs) } } });
}
