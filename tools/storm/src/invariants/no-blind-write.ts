// Invariant: no write replaces one that its sender did not know of.
import type { CreateInvariant, Observed } from "../run/world.ts";

/** What more than one writes. */
const shared =
  /^(horizontalpodautoscalers|workloadautoscalers|cronhorizontalpodautoscalers|deployments|statefulsets)\./;

/**
 * What a process decided on an object, and sent, is not taken when another client has written that object while it was on its way:
 * the process did not know of that.
 */
export const noBlindWrite: CreateInvariant = ({ cluster, time }) => {
  /** By object, who changed it last, and when. */
  const last = new Map<string, { readonly writer: string; readonly atMs: number }>();
  let restoredMs = Number.NEGATIVE_INFINITY;
  cluster.onRestore(() => {
    last.clear();
    restoredMs = time.nowMs;
  });
  return {
    name: "no-blind-write",
    observe(observation) {
      if (observation.kind !== "written" || !shared.test(observation.event.resource)) return undefined;
      const { writer, sentAtMs, event } = observation;
      const { uid = "" } = event.object.metadata;
      const before = last.get(uid);
      if (event.type === "DELETED") last.delete(uid);
      else last.set(uid, { writer, atMs: time.nowMs });
      if (sentAtMs === undefined || before === undefined) return undefined;
      // An object has a version for the second time after a restore, which a request on its way cannot know.
      if (sentAtMs <= restoredMs) return undefined;
      return before.writer !== writer && before.atMs > sentAtMs ? textOf(observation, before.writer) : true;
    },
  };
};

function textOf({ writer, event }: Observed<"written">, other: string): string {
  const { namespace, name } = event.object.metadata;
  return `${writer} changed ${event.resource} ${namespace}/${name} without having seen what ${other} wrote`;
}
