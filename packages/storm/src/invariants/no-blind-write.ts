// Invariant: no write replaces one that its sender did not know of.
import { isDeepStrictEqual } from "node:util";
import type { CreateInvariant, Observation } from "../run/world.ts";

type Written = Extract<Observation, { kind: "written" }>;

const parts = ["spec", "status"] as const;

/** What more than one writes. */
const shared =
  /^(horizontalpodautoscalers|workloadautoscalers|cronhorizontalpodautoscalers|deployments|statefulsets)\./;

/**
 * A process that decided on an object, and whose write was late on its way, does not undo what anyone else has written into the
 * same part of it meanwhile.
 */
export const noBlindWrite: CreateInvariant = ({ cluster, time }) => {
  /** By object and part, who changed it last, and when. */
  let last = new Map<string, { readonly writer: string; readonly atMs: number }>();
  cluster.onRestore(() => (last = new Map()));
  return {
    name: "no-blind-write",
    observe(observation) {
      if (observation.kind !== "written" || !shared.test(observation.event.resource)) return undefined;
      const { writer, sentAtMs, event } = observation;
      let found: string | undefined;
      for (const part of parts) {
        if (isDeepStrictEqual(event.object[part], event.previous?.[part])) continue;
        const key = `${event.object.metadata.uid} ${part}`;
        const before = last.get(key);
        if (
          sentAtMs !== undefined &&
          before !== undefined &&
          before.writer !== writer &&
          before.atMs > sentAtMs
        )
          found ??= textOf(observation, part, before.writer);
        if (event.type === "DELETED") last.delete(key);
        else last.set(key, { writer, atMs: time.nowMs });
      }
      return found;
    },
  };
};

function textOf({ writer, event }: Written, part: string, other: string): string {
  const { namespace, name } = event.object.metadata;
  return `${writer} replaced the ${part} of ${event.resource} ${namespace}/${name} without having seen what ${other} wrote`;
}
