// The objects that a reflector leaves out.
import { type Clock, createLogLimiter, getOrAdd, type Logger } from "@plimsoll/component-base";
import type { Gone } from "./room.ts";

/** Why an object is not in the store of a reflector. */
export type LeftOutReason =
  /** It could not be read, or trimming it failed. */
  | "Unreadable"
  /** It is larger than any one object may be. */
  | "ObjectTooLarge"
  /** It is one of the largest of a namespace whose objects together take too much, or most of too much. */
  | "NamespaceTooLarge";

/** An object that is not in the store. */
export interface LeftOut {
  /** Undefined as well when the object is so large that its name was not found. */
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  /** What it would take in memory, or what it has on the wire when it was not read. */
  readonly bytes: number;
  readonly reason: LeftOutReason;
  /** The same in words, which follow the name of the object. */
  readonly message: string;
}

/** As many are known by name; whoever creates more of them gets no more messages. */
const maxLeftOut = 10_000;
/** So many of a namespace are known however many others have: what reads the namespace has to know that it lacks some. */
const fewLeftOut = 10;

/** Whether one more is known by name. */
export function hasRoom(all: number, inNamespace: number): boolean {
  return all < maxLeftOut || inNamespace < fewLeftOut;
}

/** Which objects are left out. Each is reported once for each reason, until it is in the store again. */
export type LeftOutSet = ReturnType<typeof createLeftOutSet>;

export function createLeftOutSet(onLeftOut: (one: LeftOut) => void) {
  /** By namespace and name, "" for those without. */
  let known = new Map<string, Map<string, LeftOut>>();
  let size = 0;

  function put(into: typeof known, one: LeftOut, before: LeftOut | undefined): void {
    const { namespace = "", name = "", reason } = one;
    const names = getOrAdd(into, namespace, () => new Map<string, LeftOut>());
    const twin = names.get(name);
    if (twin === undefined) {
      if (!hasRoom(size, names.size)) return;
      size += 1;
    }
    names.set(name, one);
    if ((twin ?? before)?.reason !== reason) onLeftOut(one);
  }

  const find = ({ namespace = "", name = "" }: LeftOut) => known.get(namespace)?.get(name);

  return {
    list: (): readonly LeftOut[] => [...known.values()].flatMap((names) => [...names.values()]),
    /** Those of one namespace. */
    listIn: (namespace: string): readonly LeftOut[] => [...(known.get(namespace)?.values() ?? [])],
    /** Whether a namespace would have more objects, had they room. */
    isCrowded(namespace: string): boolean {
      const names = known.get(namespace);
      return names !== undefined && [...names.values()].some(({ reason }) => reason === "NamespaceTooLarge");
    },
    add: (one: LeftOut) => put(known, one, find(one)),
    delete(namespace: string, name: string): void {
      const names = known.get(namespace);
      if (names?.delete(name) !== true) return;
      size -= 1;
      if (names.size === 0) known.delete(namespace);
    },
    /** These are all. */
    replace(all: readonly LeftOut[]): void {
      const next: typeof known = new Map();
      size = 0;
      for (const one of all) put(next, one, find(one));
      known = next;
    },
  };
}

type Measured = Pick<LeftOut, "namespace" | "name" | "bytes">;

export function tooLarge(one: Measured, maxBytes: number): LeftOut {
  const message = `it takes ${String(one.bytes)} bytes, and an object may take ${String(maxBytes)}`;
  return { ...one, reason: "ObjectTooLarge", message };
}

export function crowded({ namespace, name, maxBytes, isTotal }: Gone, bytes: number): LeftOut {
  const all = isTotal ? "all objects" : "all objects of its namespace";
  const message = `it takes ${String(bytes)} bytes, and ${all} may take ${String(maxBytes)}`;
  return { namespace: namespace || undefined, name, bytes, reason: "NamespaceTooLarge", message };
}

const maxReasonLetters = 200;

export function unreadable(one: Measured, why: string): LeftOut {
  const message = why.length > maxReasonLetters ? `${why.slice(0, maxReasonLetters)}…` : why;
  return { ...one, reason: "Unreadable", message };
}

/** `resource`: with its group, such as `workloadautoscalers.autoscaling.plimsoll.dev`. */
export type ReportLeftOut = (resource: string, one: LeftOut) => void;

/** An object may be changed back and forth. */
const pauseMs = 600_000;

/** One line for an object in ten minutes. */
export function createLeftOutReport(deps: {
  readonly clock: Clock;
  readonly log: Logger;
  readonly count: (resource: string) => void;
}): ReportLeftOut {
  const isDue = createLogLimiter(deps.clock, pauseMs);
  return (resource, { namespace, name, bytes, reason, message: detail }) => {
    deps.count(resource);
    if (isDue(`${resource} ${namespace ?? ""}/${name ?? ""} ${reason}`))
      deps.log.warn({ resource, namespace, name, bytes, reason, detail }, "an object is left out");
  };
}
