// When a rollout began, by the pods alone.
import { at, type Fields, textOf } from "./fields.ts";
import { createdAtMs } from "./meta.ts";

const revisionLabels = ["pod-template-hash", "rollouts-pod-template-hash", "controller-revision-hash"];

/** Undefined while all pods are of one revision. */
export function rolloutStartMs(pods: readonly Fields[]): number | undefined {
  const starts = new Map<string, number>();
  for (const pod of pods) {
    const revision = revisionOf(pod);
    const createdMs = createdAtMs(pod);
    if (revision === "" || createdMs === undefined) continue;
    starts.set(revision, Math.min(starts.get(revision) ?? Infinity, createdMs));
  }
  return starts.size < 2 ? undefined : Math.max(...starts.values());
}

function revisionOf(pod: Fields): string {
  for (const label of revisionLabels) {
    const value = textOf(at(pod, "metadata", "labels", label));
    if (value !== "") return value;
  }
  return "";
}
