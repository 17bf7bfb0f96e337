import { isDeepStrictEqual } from "node:util";
import { fieldManager } from "../deadline.ts";
import type { FieldWriter } from "./field-writer.ts";
import { isOlder, type NativeHpa } from "./native-hpa.ts";

/** Somebody else writes what we drive. */
export interface ForeignWrite {
  readonly what: "status" | "scale";
  /** The manager that the API server noted, or a word for one that it did not. */
  readonly by: string;
}

/** The object as our last status write left it; undefined when it is not known how that write ended. */
export type LastStatus = NativeHpa | undefined;

const builtInManager = "kube-controller-manager";

/** Whether the count was written by an autoscaler: this program, or the built-in one. */
export function isAutoscaler({ manager }: FieldWriter): boolean {
  return manager === fieldManager || manager === builtInManager;
}

/**
 * Only controllers write an HPA's status: one that is newer than our last and differs from it was written by another
 * controller, or by another installation of this one.
 */
export function foreignStatus(watched: NativeHpa, last: LastStatus): ForeignWrite | undefined {
  if (last === undefined || last.metadata.uid !== watched.metadata.uid) return undefined;
  if (!isOlder(last.metadata.resourceVersion, watched.metadata.resourceVersion)) return undefined;
  const { statusWriter } = watched;
  if (isDeepStrictEqual(watched.status, last.status)) return undefined;
  return { what: "status", by: nameOf(statusWriter) };
}

function nameOf(writer: FieldWriter | undefined): string {
  if (writer === undefined) return "an unknown writer";
  return writer.manager === fieldManager ? `another ${fieldManager}` : writer.manager;
}

/** What is known of the count that we wrote last. */
export interface LastScale {
  readonly replicas: number;
  readonly atMs: number;
}

/** How long after our own write a different count is held to be an answer to it. */
export function isDispute(
  last: LastScale | undefined,
  found: number,
  o: { nowMs: number; withinMs: number },
) {
  if (last === undefined || last.replicas === found) return false;
  const ageMs = o.nowMs - last.atMs;
  return ageMs >= 0 && ageMs <= o.withinMs;
}

const disputesLetPass = 1;

/**
 * The built-in controller ends our driving at once. People and deployment tools may set a count once per window, as
 * they may with the built-in controller; again within it, and two are pulling at one target.
 */
export function foreignScale(
  writer: FieldWriter | undefined,
  disputesInWindow: number,
): ForeignWrite | undefined {
  if (writer?.manager !== builtInManager && disputesInWindow <= disputesLetPass) return undefined;
  return { what: "scale", by: nameOf(writer) };
}
