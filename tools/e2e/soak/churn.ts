// Which objects come, change and go, in an order that the seed alone determines.
import { cronTargets, type Kind, type SoakObject, targets } from "./manifests.ts";
import type { Random } from "./random.ts";

export type Action =
  | { readonly type: "create" | "edit" | "delete"; readonly object: SoakObject }
  | { readonly type: "load"; readonly target: string; readonly level: number }
  | { readonly type: "queue"; readonly level: number }
  | { readonly type: "delete-target" | "create-target"; readonly target: string };

export interface Churn {
  /** Objects up to the usual number of each kind. */
  fill(): readonly Action[];
  /** The objects that are there after the actions so far. */
  live(): readonly SoakObject[];
  next(): Action;
}

/** How many objects of each kind there are, give or take two: growth is not to come from more objects. */
const population: Readonly<Record<Kind, number>> = { hpa: 14, wla: 10, bounds: 3, cron: 4 };
const kinds = Object.keys(population) as readonly Kind[];
const tolerance = 2;
/** So often a new object names a target that another has already. */
const conflictShare = 0.1;
/** A Deployment that was deleted comes back after so many actions. */
const absenceActions = 6;

export function createChurn(random: Random): Churn {
  const objects: SoakObject[] = [];
  let actions = 0;
  let created = 0;
  let absent: { readonly target: string; readonly untilAction: number } | undefined;

  const ofKind = (kind: Kind) => objects.filter((one) => one.kind === kind);
  const create = (kind: Kind): Action => {
    created += 1;
    const object = { kind, name: `${kind}-${created}`, target: freeTarget(kind, objects, random) };
    objects.push(object);
    return { type: "create", object };
  };
  const remove = (object: SoakObject): Action => {
    objects.splice(objects.indexOf(object), 1);
    return { type: "delete", object };
  };
  const replaceOne = (): Action => {
    const kind = random.pick(kinds);
    const there = ofKind(kind);
    const surplus = there.length - population[kind];
    const isGrowing = surplus <= -tolerance || (surplus < tolerance && random.next() < 0.5);
    return isGrowing || there.length === 0 ? create(kind) : remove(random.pick(there));
  };
  const other = (): Action => {
    const drawn = random.next();
    if (drawn < 0.45) return { type: "edit", object: random.pick(objects) };
    if (drawn < 0.85) return { type: "load", target: random.pick(targets), level: random.whole(1, 8) };
    if (drawn < 0.93 || absent !== undefined) return { type: "queue", level: random.whole(1, 8) };
    absent = { target: random.pick(targets), untilAction: actions + absenceActions };
    return { type: "delete-target", target: absent.target };
  };

  return {
    fill: () => kinds.flatMap((kind) => Array.from({ length: population[kind] }, () => create(kind))),
    live: () => [...objects],
    next() {
      actions += 1;
      const missing = kinds.find((kind) => ofKind(kind).length < population[kind] - tolerance);
      if (missing !== undefined) return create(missing);
      if (absent !== undefined && actions >= absent.untilAction) {
        const { target } = absent;
        absent = undefined;
        return { type: "create-target", target };
      }
      return random.next() < 0.4 ? replaceOne() : other();
    },
  };
}

function freeTarget(kind: Kind, objects: readonly SoakObject[], random: Random): string {
  const all =
    kind === "cron"
      ? cronTargets
      : kind === "bounds"
        ? objects.filter((one) => one.kind === "hpa").map(({ name }) => name)
        : targets;
  const taken = new Set(objects.map(({ target }) => target));
  const free = all.filter((target) => !taken.has(target));
  const mayConflict = kind === "hpa" || kind === "wla";
  return random.pick(free.length === 0 || (mayConflict && random.next() < conflictShare) ? all : free);
}
