/**
 * Who asked lately for which part of what one wide query would answer. The wide query is worth it when several
 * parts are asked for and what they come to is not a small share of it.
 */
export interface Demand {
  /**
   * Notes that a part with so many objects is asked for.
   * @returns whether to ask for the whole.
   */
  note(whole: string, part: Part, nowMs: number): boolean;
  /** The whole was asked for and is about so many objects. */
  answered(whole: string, objects: number, nowMs: number): void;
  /** The whole could not be had: parts are asked for until a while has passed. */
  failed(whole: string, nowMs: number): void;
}

export interface Part {
  /** Tells parts of one whole apart. */
  readonly key: string;
  readonly objects: number;
}

interface Whole {
  readonly parts: Map<string, { readonly objects: number; readonly atMs: number }>;
  objects: number;
  objectsAtMs: number;
  avoidUntilMs: number;
  atMs: number;
}

/** Two periods of an autoscaler, and some slack: who asks again within it is still there. */
const REMEMBER_MS = 40_000;
/** How long the size of a whole, or its failure, is taken for granted. */
const BELIEVE_MS = 600_000;
/** Wholes that are kept in mind. */
const MOST_WHOLES = 10_000;
/** Parts that are told apart: more of them change nothing. */
const MOST_PARTS = 64;
/** An object that nobody asked for costs less than a query of its own, up to so many for each that was. */
const SPARE_OBJECTS = 4;

export function createDemand(): Demand {
  const wholes = new Map<string, Whole>();

  const wholeOf = (key: string, nowMs: number): Whole => {
    const known = wholes.get(key);
    // Back to the end of the line: what was asked for longest ago goes first.
    wholes.delete(key);
    const fresh: Whole = {
      parts: new Map(),
      objects: 0,
      objectsAtMs: -BELIEVE_MS,
      avoidUntilMs: 0,
      atMs: nowMs,
    };
    const whole = known ?? fresh;
    whole.atMs = nowMs;
    wholes.set(key, whole);
    for (const oldest of wholes.keys()) {
      if (wholes.size <= MOST_WHOLES) break;
      wholes.delete(oldest);
    }
    return whole;
  };

  return {
    note(key, part, nowMs) {
      const whole = wholeOf(key, nowMs);
      whole.parts.delete(part.key);
      whole.parts.set(part.key, { objects: part.objects, atMs: nowMs });
      for (const [name, { atMs }] of whole.parts) {
        if (atMs >= nowMs - REMEMBER_MS && whole.parts.size <= MOST_PARTS) break;
        whole.parts.delete(name);
      }
      if (whole.parts.size < 2 || nowMs < whole.avoidUntilMs) return false;
      if (nowMs - whole.objectsAtMs > BELIEVE_MS) return true;
      let objects = 0;
      for (const other of whole.parts.values()) objects += other.objects;
      return objects * SPARE_OBJECTS >= whole.objects;
    },
    answered(key, objects, nowMs) {
      const whole = wholeOf(key, nowMs);
      whole.objects = objects;
      whole.objectsAtMs = nowMs;
    },
    failed(key, nowMs) {
      wholeOf(key, nowMs).avoidUntilMs = nowMs + BELIEVE_MS;
    },
  };
}
