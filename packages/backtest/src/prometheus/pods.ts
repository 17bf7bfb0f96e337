// The pods of a target. The values of their series are instants, which are exact to a second at any interval of scrapes.
import { labelOf } from "@plimsoll/prometheus";
import type { OpenSpan, RecordedPod, RecordedTarget } from "../replay/recording.ts";
import { HistoryError } from "./errors.ts";
import { graceOf, requestedMs } from "./pod-deletion.ts";
import { isMoving } from "./pod-readiness.ts";
import { nameOf, type Track } from "./track.ts";

const secondMs = 1000;

export interface PodsOptions {
  readonly target: RecordedTarget;
  readonly maxPods: number;
  /** Between two scrapes. */
  readonly scrapeMs: number;
  /** spec.terminationGracePeriodSeconds of the pods, where it is known. */
  readonly graceMs?: number | undefined;
}

/** The pods of the target, by their creation. @throws HistoryError for more than are allowed */
export function podsOf(tracks: readonly Track[], options: PodsOptions): readonly RecordedPod[] {
  const byPod = Map.groupBy(tracks, ({ labels }) => labelOf(labels, "pod") ?? "");
  const own = [...byPod].filter(([name, ofPod]) => isOwned(name, ofPod, options.target));
  if (own.length > options.maxPods) {
    const message = `${options.target.name} had ${own.length} pods; at most ${options.maxPods} are allowed: read a shorter time, or allow more pods`;
    throw new HistoryError("limit", message);
  }
  const lastMs = tracks.filter(isMoving).reduce((last, { atMs }) => Math.max(last, atMs.at(-1) ?? 0), 0);
  const seen = own.map(([name, ofPod]) => seenOf(name, ofPod));
  const graceMs = options.graceMs ?? graceOf(seen.flatMap(({ deletion }) => deletion ?? []));
  return seen
    .flatMap((pod) => recorded(pod, { graceMs, lastMs, scrapeMs: options.scrapeMs }))
    .toSorted((a, b) => a.createdMs - b.createdMs || (a.name < b.name ? -1 : 1));
}

/** A controller names its objects after itself; the owner says more than the name of the pod. */
function isOwned(pod: string, tracks: readonly Track[], { kind, name }: RecordedTarget): boolean {
  const escaped = name.replaceAll(".", "[.]");
  const owner = tracks.find((track) => nameOf(track) === "kube_pod_owner");
  if (owner !== undefined) {
    const [ownerKind, ownerName] = [
      labelOf(owner.labels, "owner_kind"),
      labelOf(owner.labels, "owner_name") ?? "",
    ];
    if (ownerKind === kind) return ownerName === name;
    return ownerKind === "ReplicaSet" && new RegExp(`^${escaped}-[a-z0-9]+$`).test(ownerName);
  }
  const pattern = kind === "StatefulSet" ? `${escaped}-\\d+` : `${escaped}(-[a-z0-9]+)?-[a-z0-9]{5}`;
  return new RegExp(`^${pattern}$`).test(pod);
}

interface SeenPod {
  readonly name: string;
  readonly createdMs: number | undefined;
  readonly startedMs: number | undefined;
  readonly ready: readonly OpenSpan[];
  readonly hasReadyTime: boolean;
  /** The last scrape that showed it. */
  readonly lastMs: number;
  /** What kube_pod_deletion_timestamp said, and the scrapes before and at its first sample. */
  readonly deletion:
    | { readonly untilMs: number; readonly afterMs: number; readonly seenMs: number }
    | undefined;
  readonly requests: RecordedPod["requests"];
}

function seenOf(name: string, tracks: readonly Track[]): SeenPod {
  const of = (family: string): readonly Track[] => tracks.filter((track) => nameOf(track) === family);
  const secondsOf = (family: string): number | undefined => {
    const value = of(family)[0]?.values.at(-1);
    return value === undefined ? undefined : value * secondMs;
  };
  const readiness = pointsOf(of("kube_pod_status_ready"));
  const times = pointsOf(of("kube_pod_status_ready_time"));
  const all = tracks.filter(isMoving).flatMap(({ atMs }) => atMs);
  const deletion = pointsOf(of("kube_pod_deletion_timestamp"))[0];
  const createdMs = secondsOf("kube_pod_created");
  const before = readiness.findLast(({ atMs }) => atMs < (deletion?.atMs ?? 0))?.atMs;
  return {
    name,
    createdMs,
    startedMs: secondsOf("kube_pod_start_time"),
    ready: readySpans(readiness, times),
    hasReadyTime: times.length > 0,
    lastMs: all.reduce((last, atMs) => Math.max(last, atMs), 0),
    deletion:
      deletion === undefined
        ? undefined
        : { untilMs: deletion.value * secondMs, afterMs: before ?? createdMs ?? 0, seenMs: deletion.atMs },
    requests: requestsOf(of("kube_pod_container_resource_requests")),
  };
}

interface Point {
  readonly atMs: number;
  readonly value: number;
}

function pointsOf(tracks: readonly Track[]): readonly Point[] {
  return tracks
    .flatMap(({ atMs, values }) => atMs.map((at, n) => ({ atMs: at, value: values[n] ?? 0 })))
    .toSorted((a, b) => a.atMs - b.atMs);
}

/** Each time it became Ready by what the API says of it; the end by the same, or the scrape that showed it. */
function readySpans(readiness: readonly Point[], times: readonly Point[]): readonly OpenSpan[] {
  const timeAt = new Map(times.map(({ atMs, value }) => [atMs, value * secondMs]));
  const states = readiness.length > 0 ? readiness : times.map(({ atMs }) => ({ atMs, value: 1 }));
  const spans: { fromMs: number; toMs?: number }[] = [];
  for (const { atMs, value } of states) {
    const open = spans.at(-1);
    const saysMs = timeAt.get(atMs);
    const isOpen = open !== undefined && open.toMs === undefined;
    if (value !== 1) {
      if (isOpen) open.toMs = saysMs !== undefined && saysMs > open.fromMs ? saysMs : atMs;
    } else if (!isOpen) {
      spans.push({ fromMs: saysMs ?? atMs });
    } else if (saysMs !== undefined && saysMs > open.fromMs) {
      // It was away between two scrapes.
      open.toMs = saysMs;
      spans.push({ fromMs: saysMs });
    }
  }
  return spans;
}

/** Numbers in cores and bytes, as quantities. */
function requestsOf(tracks: readonly Track[]): RecordedPod["requests"] {
  const requests: Record<string, Record<string, string>> = {};
  for (const { labels, values } of tracks) {
    const [container, resource] = [labelOf(labels, "container"), labelOf(labels, "resource")];
    const value = values.at(-1);
    if (container === undefined || resource === undefined || value === undefined) continue;
    const own = (requests[container] ??= {});
    own[resource] = resource === "cpu" ? `${Math.round(value * 1000)}m` : String(value);
  }
  return requests;
}

interface Known {
  readonly graceMs: number;
  readonly lastMs: number;
  readonly scrapeMs: number;
}

function recorded(pod: SeenPod, { graceMs, lastMs, scrapeMs }: Known): readonly RecordedPod[] {
  const { name, createdMs, startedMs, deletion, requests } = pod;
  if (createdMs === undefined) return [];
  const isGone = pod.lastMs > 0 && lastMs - pod.lastMs > 2 * scrapeMs;
  // Between its last scrape and the next one.
  const goneMs = isGone ? pod.lastMs + Math.round(scrapeMs / 2) : undefined;
  const deletedMs = deletion === undefined ? goneMs : requestedMs(deletion, graceMs);
  const isExact = (pod.hasReadyTime || pod.ready.length === 0) && (deletion !== undefined || !isGone);
  return [
    {
      name,
      createdMs,
      ...(startedMs === undefined ? {} : { startedMs }),
      ready: pod.ready,
      ...(deletedMs === undefined ? {} : { deletedMs }),
      ...(goneMs === undefined ? {} : { goneMs }),
      requests,
      uncertaintyMs: isExact ? secondMs : Math.max(secondMs, scrapeMs),
    },
  ];
}
