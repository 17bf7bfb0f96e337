// The queries for the series of a target's pods.
import { formatMatchers, labelOf, type Matcher } from "@plimsoll/prometheus";
import type { RecordedSpan, RecordedTarget } from "../replay/recording.ts";

import type { Track } from "./track.ts";

export const readyFamily = "kube_pod_status_ready";
export const readyTimeFamily = "kube_pod_status_ready_time";
export const deletionFamily = "kube_pod_deletion_timestamp";

const fixed = [
  "kube_pod_created",
  "kube_pod_start_time",
  "kube_pod_owner",
  "kube_pod_container_resource_requests",
];
/** Names of ReplicaSets are cut where those of their pods get too long. */
const maxPrefix = 47;

/** What is said of the readiness of a pod in a part of the span, by the label `summaryLabel`. */
export type SummaryKind = "readyChanges" | "ready" | "timeChanges" | "time" | "seen";
export const summaryLabel = "plimsoll_summary";

/** Which pods of a namespace are read. */
export interface PodScope {
  readonly target: RecordedTarget;
  readonly more: readonly Matcher[];
}

/**
 * One value of each series: of what does not change (owners, requests and the first instants of each pod) the last one; of
 * readiness how often it changed, its last value, and at which instant the pod was seen last, where it is still there.
 */
export function summaryQuery(scope: PodScope, part: RecordedSpan): string {
  const ready = familySelector(scope, [readyFamily], [isTrue]);
  const time = familySelector(scope, [readyTimeFamily]);
  const range = rangeOf(part);
  const summaries: Readonly<Record<SummaryKind, string>> = {
    readyChanges: `changes(${ready}${range})`,
    ready: `last_over_time(${ready}${range})`,
    timeChanges: `changes(${time}${range})`,
    time: `last_over_time(${time}${range})`,
    seen: `timestamp(${ready})`,
  };
  const parts = Object.entries(summaries).map(
    ([kind, promql]) => `label_replace(${promql},"${summaryLabel}","${kind}","","")`,
  );
  return [`last_over_time(${familySelector(scope, fixed)}${range})`, ...parts].join(" or ");
}

/** A value of a summary, which may have the name of the series that it is of. */
export function isSummary({ labels }: Track): boolean {
  return labelOf(labels, summaryLabel) !== undefined;
}

/** All samples of deletions, which pods have for as long as they take to end. */
export function deletionQuery(scope: PodScope, part: RecordedSpan): string {
  return `${familySelector(scope, [deletionFamily])}${rangeOf(part)}`;
}

/** All samples of readiness, of pods with these names, or of all. */
export function readinessQuery(scope: PodScope, names: readonly string[], part: RecordedSpan): string {
  const matchers: readonly Matcher[] = [
    { label: "condition", operator: "=~", value: "|true" },
    ...(names.length === 0
      ? []
      : [{ label: "pod", operator: "=~", value: names.join("|").replaceAll(".", "[.]") } as const]),
  ];
  return `${familySelector(scope, [readyFamily, readyTimeFamily], matchers)}${rangeOf(part)}`;
}

const isTrue: Matcher = { label: "condition", operator: "=", value: "true" };

function rangeOf({ fromMs, toMs }: RecordedSpan): string {
  return `[${toMs - fromMs}ms]`;
}

function familySelector(
  { target: { namespace, name }, more }: PodScope,
  families: readonly string[],
  others: readonly Matcher[] = [],
): string {
  const prefix = name.slice(0, maxPrefix).replaceAll(".", "[.]");
  const [family = ""] = families;
  const matchers: readonly Matcher[] = [
    families.length === 1
      ? { label: "__name__", operator: "=", value: family }
      : { label: "__name__", operator: "=~", value: families.join("|") },
    { label: "namespace", operator: "=", value: namespace },
    { label: "pod", operator: "=~", value: `${prefix}.*` },
    ...others,
    ...more,
  ];
  return `{${formatMatchers(matchers)}}`;
}
