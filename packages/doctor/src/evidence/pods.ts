// Pods: whether they run, their containers and what these request.
import { type Fields, textOf } from "@plimsoll/core/internal/values";
import { amountOf } from "../text/amount.ts";
import { at, listOf } from "./fields.ts";
import { conditionOf, createdAtMs } from "./meta.ts";

/** Neither ended nor being deleted. */
export function isLiving(pod: Fields): boolean {
  const phase = textOf(at(pod, "status", "phase"));
  return (
    phase !== "Succeeded" && phase !== "Failed" && at(pod, "metadata", "deletionTimestamp") === undefined
  );
}

export function isRunning(pod: Fields): boolean {
  return isLiving(pod) && at(pod, "status", "phase") === "Running";
}

export function isReady(pod: Fields): boolean {
  return isRunning(pod) && conditionOf(pod, "Ready")?.status === "True";
}

/** Since when the pod is ready, or else since when it exists. */
export function readySinceMs(pod: Fields): number | undefined {
  const ready = conditionOf(pod, "Ready");
  return (ready?.status === "True" ? ready.sinceMs : undefined) ?? createdAtMs(pod);
}

/** The containers that run together: the regular ones, and sidecars among the init containers. */
export function runningContainers(spec: unknown): readonly Fields[] {
  const sidecars = listOf(at(spec, "initContainers")).filter(
    ({ restartPolicy }) => restartPolicy === "Always",
  );
  return [...listOf(at(spec, "containers")), ...sidecars];
}

/** What a container requests; undefined when it requests nothing of the resource. */
export function containerRequest(container: Fields, resource: string): number | undefined {
  return amountOf(at(container, "resources", "requests", resource));
}

/** Pod-level requests count instead of those of the containers. */
export function podLevelRequest(spec: unknown, resource: string): number | undefined {
  return amountOf(at(spec, "resources", "requests", resource));
}

/** Of the whole pod; undefined when nothing requests the resource. */
export function podRequest(spec: unknown, resource: string): number | undefined {
  const podLevel = podLevelRequest(spec, resource);
  if (podLevel !== undefined) return podLevel;
  const requests = runningContainers(spec).flatMap(
    (container) => containerRequest(container, resource) ?? [],
  );
  return requests.length === 0 ? undefined : requests.reduce((sum, request) => sum + request, 0);
}
