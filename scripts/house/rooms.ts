// Finds the imports between the rooms of a package that run upward. A room is an entry of its `src`.
import { posix } from "node:path";
import { circlesOf } from "../source/circles.ts";
import type { SourceFile } from "../source/parse.ts";

interface Arrow {
  readonly from: string;
  readonly to: string;
  /** Such as `packages/core/src/index.ts:3`. */
  readonly place: string;
}

/** The imports to cut until the rooms of a package have an order, as `file:line`. */
export function upwardImports(files: readonly SourceFile[]): readonly string[] {
  const arrows = files.flatMap(arrowsOf);
  const targets = new Map<string, string[]>();
  for (const { from, to } of arrows) targets.set(from, [...(targets.get(from) ?? []), to]);
  const circles = circlesOf(targets);
  return circles.flatMap((rooms) => {
    const within = arrows.filter(({ from, to }) => rooms.includes(from) && rooms.includes(to));
    return upward(ordered(rooms, within), within).map(({ from, to, place }) => `${place}: ${from} → ${to}`);
  });
}

function arrowsOf({ path, imports }: SourceFile): readonly Arrow[] {
  const from = roomOf(path);
  return imports
    .filter(({ target }) => target.startsWith("."))
    .map(({ target, line }) => ({
      from,
      to: roomOf(posix.join(posix.dirname(path), target)),
      place: `${path}:${line}`,
    }))
    .filter(({ to }) => to !== from);
}

/** `decide` of packages/core/src/decide/decide.ts. */
function roomOf(path: string): string {
  return path.split("/")[3] ?? "";
}

function upward(order: readonly string[], arrows: readonly Arrow[]): readonly Arrow[] {
  const places = new Map(order.map((room, place) => [room, place]));
  return arrows.filter(({ from, to }) => (places.get(from) ?? 0) > (places.get(to) ?? 0));
}

/** An order with few arrows upward: the move of one room that saves most is made, until none saves anything. */
function ordered(rooms: readonly string[], arrows: readonly Arrow[]): readonly string[] {
  let [best, least] = [rooms, upward(rooms, arrows).length];
  for (let isBetter = true; isBetter; ) {
    isBetter = false;
    const from = best;
    for (const room of from) {
      const others = from.filter((other) => other !== room);
      for (const place of from.keys()) {
        const order = others.toSpliced(place, 0, room);
        const count = upward(order, arrows).length;
        if (count < least) [best, least, isBetter] = [order, count, true];
      }
    }
  }
  return best;
}
