// Detects another client that writes the status or replicas of an object that we manage.
import { isDeepStrictEqual } from "node:util";
import { isOlder } from "@plimsoll/kube";
import { fieldManager, isSibling } from "../../objects/field-managers.ts";
import type { ScalingObject } from "../../objects/scaling-object.ts";
import type { ObjectState } from "../remember/state.ts";
import type { Conflict, ConflictLimits, ForeignWrite } from "./conflict.ts";
import type { FieldWriter } from "./field-writer.ts";

const builtInManager = "kube-controller-manager";
const disputesAllowed = 1;
/** A change sooner than this after our own write disputes it, however short the period. */
const minDisputeMs = 5000;

/** Whether the replicas were written by an autoscaler: this program, or the built-in one. */
export function isAutoscaler({ manager }: FieldWriter): boolean {
  return manager === fieldManager || manager === builtInManager;
}

/**
 * Only controllers write an object's status: one that is newer than our last and differs from it was written by another
 * controller, or by another installation of this one.
 */
export function foreignStatus(
  stored: ScalingObject,
  { lastWritten, isStatusUncertain }: Pick<ObjectState, "lastWritten" | "isStatusUncertain">,
): ForeignWrite | undefined {
  if (lastWritten === undefined || isStatusUncertain) return undefined;
  if (lastWritten === stored || lastWritten.metadata.uid !== stored.metadata.uid) return undefined;
  if (!isOlder(lastWritten.metadata.resourceVersion, stored.metadata.resourceVersion)) return undefined;
  if (isDeepStrictEqual(stored.status, lastWritten.status)) return undefined;
  return { what: "status", by: nameOf(stored.statusWriter) };
}

/** Whether these replicas, found by an evaluation, replaced those that we had written shortly before. */
export function isOverwritten(
  { lastScale }: Pick<ObjectState, "lastScale">,
  found: number,
  { nowMs, periodMs }: { readonly nowMs: number; readonly periodMs: number },
): boolean {
  if (lastScale === undefined || lastScale.replicas === found) return false;
  const ageMs = nowMs - lastScale.atMs;
  return ageMs >= 0 && ageMs <= disputeMs(periodMs);
}

/**
 * The built-in controller ends our management at once. People and deployment tools may set the replicas once in each
 * window, as they may with the built-in controller; the second time within it, two manage one target.
 */
export function scaleConflict(
  state: ObjectState,
  read: { readonly found: number; readonly writer: FieldWriter | undefined; readonly nowMs: number },
  { periodMs, windowMs }: ConflictLimits,
): Conflict {
  const { lastScale } = state;
  const { found, writer, nowMs } = read;
  const known = { foreign: undefined, overwritten: undefined, lastScale, disputes: state.disputes };
  if (lastScale === undefined) return known;
  if (lastScale.replicas === found && nowMs - lastScale.atMs <= disputeMs(periodMs)) return known;
  if (!isOverwritten(state, found, { nowMs, periodMs })) return { ...known, lastScale: undefined };
  // Another part of this program, which an operator enabled.
  if (writer !== undefined && isSibling(writer.manager)) return { ...known, lastScale: undefined };
  const disputes = [...state.disputes.filter((atMs) => nowMs - atMs < windowMs), nowMs];
  const isLost = writer?.manager === builtInManager || disputes.length > disputesAllowed;
  return {
    foreign: isLost ? { what: "scale", by: nameOf(writer) } : undefined,
    overwritten: { wrote: lastScale.replicas, found, manager: writer?.manager },
    lastScale: undefined,
    disputes,
  };
}

function disputeMs(periodMs: number): number {
  return Math.max(2 * periodMs, minDisputeMs);
}

function nameOf(writer: FieldWriter | undefined): string {
  if (writer === undefined) return "an unknown writer";
  return writer.manager === fieldManager ? `another ${fieldManager}` : writer.manager;
}
