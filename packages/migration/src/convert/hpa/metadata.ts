// The metadata of a converted object.
import type { Fields, Remark } from "@plimsoll/core/internal/values";

const keptFields: readonly string[] = ["name", "generateName", "namespace", "labels", "annotations"];

/** Set by the API server, and by it alone: nothing is lost with them. */
const ofServer: ReadonlySet<string> = new Set([
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "managedFields",
  "selfLink",
]);

/** Annotations about the HPA as such: what kubectl applied, what old versions had no fields for, who manages it. */
const ofHpa: readonly RegExp[] = [
  /^kubectl\.kubernetes\.io\/last-applied-configuration$/,
  /^autoscaling\.alpha\.kubernetes\.io\//,
  /^autoscaling\.plimsoll\.dev\/(?:managed|reclaim)$/,
  // What kube-metrics-adapter reads; the queries become rules.
  /^metric-config\./,
];

/** What of an HPA's metadata a WorkloadAutoscaler in its place has too. */
export function keptMetadata(metadata: Fields): {
  readonly metadata: Fields;
  readonly notes: readonly Remark[];
} {
  const kept: Record<string, unknown> = {};
  const notes: Remark[] = [];
  for (const [key, value] of Object.entries(metadata)) {
    if (value === null || ofServer.has(key)) continue;
    if (!keptFields.includes(key)) {
      notes.push({
        path: `metadata.${key}`,
        message: "is left out",
        remedy: "it belongs to the HorizontalPodAutoscaler; add it again if the new object needs it",
      });
    } else if (key === "annotations") {
      const annotations = Object.entries(value as Fields).filter(
        ([name]) => !ofHpa.some((pattern) => pattern.test(name)),
      );
      if (annotations.length > 0) kept[key] = Object.fromEntries(annotations);
    } else kept[key] = value;
  }
  return { metadata: kept, notes };
}
