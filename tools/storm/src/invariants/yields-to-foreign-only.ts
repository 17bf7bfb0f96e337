// Invariant: only other programs count as foreign writers.
import type { CreateInvariant, Observed, Outcome } from "../run/world.ts";
import { createForeignControllers } from "./foreign-controllers.ts";
import { evaluationManager } from "./names.ts";
import { createAfterRestore } from "./restores.ts";

/** The field of the log line that names the writer. */
const writerFields: Readonly<Record<string, string>> = {
  "returned to shadow: foreign writer": "by",
  "replicas overwritten by another client": "manager",
};
const anotherOfUs = `another ${evaluationManager}`;
/** What another controller wrote may be noticed so much later: a watch may have been silent, or a process away. */
const noticedMs = 900_000;

/** No part of this program, which an operator enabled, counts as a foreign writer, nor does another process of the installation. */
export const yieldsToForeignOnly: CreateInvariant = (world) => {
  const foreign = createForeignControllers(world);
  const isAfterRestore = createAfterRestore(world);

  function wasThere(key: string, by: string): boolean {
    return foreign
      .of(key)
      .some(
        ({ manager, lastMs, endedMs }) =>
          (by === manager || by === `another ${manager}`) &&
          (endedMs === undefined || world.time.nowMs - lastMs < noticedMs),
      );
  }

  function ofLine({ process, message, fields }: Observed<"logged">): Outcome {
    const field = writerFields[message];
    if (field === undefined) return undefined;
    const { hpa, [field]: by } = fields;
    if (typeof by !== "string") return true;
    const isPart = /^plimsoll-(cronhpa|schedules)/.test(by);
    const isOurs = by === anotherOfUs || by === evaluationManager;
    const isFalse = isPart || (isOurs && !isAfterRestore() && !wasThere(String(hpa), by));
    if (!isFalse) return true;
    return `${process} takes ${by}, which is a part of it, for a foreign writer of ${String(hpa)}`;
  }

  return {
    name: "yields-to-foreign-only",
    observe(observation) {
      foreign.see(observation);
      return observation.kind === "logged" ? ofLine(observation) : undefined;
    },
  };
};
