// The series of an autoscaler: those of kube-state-metrics, or our own where it is ours.
import { formatMatchers, type Labels, labelOf, type Matcher } from "@plimsoll/prometheus";
import { HistoryError } from "./errors.ts";
import type { Manifest } from "./manifest.ts";
import { nameOf, type Track } from "./track.ts";

/** The series of one autoscaler, by the name of their family without its prefix. */
export interface HpaSeries {
  /** Whose they are: our own say more. */
  readonly source: "kube-state-metrics" | "plimsoll";
  readonly families: ReadonlyMap<string, readonly Track[]>;
}

const families = [
  "info",
  "spec_min_replicas",
  "spec_max_replicas",
  "spec_target_metric",
  "spec_behavior_scale_up_tolerance",
  "spec_behavior_scale_down_tolerance",
  "status_current_replicas",
  "status_desired_replicas",
  "status_target_metric",
  "status_condition",
  "metadata_generation",
  "last_decision_timestamp_seconds",
];

const prefixes = {
  "kube-state-metrics": "kube_horizontalpodautoscaler_",
  plimsoll: "plimsoll_horizontalpodautoscaler_",
} as const;

/** The series of the count of a target, by its kind. */
const targetSeries: Readonly<Record<string, { readonly name: string; readonly label: string }>> = {
  Deployment: { name: "kube_deployment_spec_replicas", label: "deployment" },
  StatefulSet: { name: "kube_statefulset_replicas", label: "statefulset" },
  ReplicaSet: { name: "kube_replicaset_spec_replicas", label: "replicaset" },
  ReplicationController: {
    name: "kube_replicationcontroller_spec_replicas",
    label: "replicationcontroller",
  },
};

/** One selector of all that is read of an autoscaler and the count of its target. */
export function hpaSelector(manifest: Manifest, more: readonly Matcher[] = []): string {
  const { namespace, name, target } = manifest;
  const own = targetSeries[target.kind];
  const names = `(kube|plimsoll)_horizontalpodautoscaler_(${families.join("|")})`;
  const matchers: Matcher[] = [
    { label: "__name__", operator: "=~", value: own === undefined ? names : `${names}|${own.name}` },
    { label: "namespace", operator: "=", value: namespace },
    orAbsent("horizontalpodautoscaler", name),
    orAbsent("condition", "ScalingActive"),
    ...(own === undefined ? [] : [orAbsent(own.label, target.name)]),
    ...more,
  ];
  return `{${formatMatchers(matchers)}}`;
}

/** Names of objects have dots and dashes only. */
function orAbsent(label: string, value: string): Matcher {
  return { label, operator: "=~", value: `|${value.replaceAll(".", "[.]")}` };
}

/** The series of an autoscaler; undefined without any. @throws HistoryError when they are those of several objects */
export function hpaSeriesOf(manifest: Manifest, tracks: readonly Track[]): HpaSeries | undefined {
  const ours = tracks.filter(
    (track) => nameOf(track).startsWith(prefixes.plimsoll) && labelOf(track.labels, "kind") === manifest.kind,
  );
  const theirs = tracks.filter((track) => nameOf(track).startsWith(prefixes["kube-state-metrics"]));
  if (isWhole(ours) && (isActive(ours) || manifest.kind === "WorkloadAutoscaler"))
    return byFamily("plimsoll", ours);
  if (manifest.kind === "WorkloadAutoscaler" || theirs.length === 0) return undefined;
  return byFamily("kube-state-metrics", theirs);
}

/** With --object-metrics=abnormal a steady object has its info, and little else. */
function isWhole(tracks: readonly Track[]): boolean {
  const samplesOf = (family: string): number =>
    tracks
      .filter((track) => nameOf(track) === `${prefixes.plimsoll}${family}`)
      .reduce((sum, { atMs }) => sum + atMs.length, 0);
  const whole = samplesOf("spec_max_replicas");
  return whole > 0 && 2 * whole >= samplesOf("info");
}

/** An object in shadow is decided by another controller. */
function isActive(tracks: readonly Track[]): boolean {
  const infos = tracks.filter((track) => nameOf(track) === `${prefixes.plimsoll}info`);
  const samplesIn = (isMeant: (mode: string) => boolean): number =>
    infos
      .filter(({ labels }) => isMeant(labelOf(labels, "mode") ?? ""))
      .reduce((sum, { atMs }) => sum + atMs.length, 0);
  return samplesIn((mode) => mode === "active") > samplesIn((mode) => mode !== "active");
}

function byFamily(source: HpaSeries["source"], tracks: readonly Track[]): HpaSeries {
  refuseSeveral(tracks, (track) => nameOf(track).endsWith("_spec_max_replicas"));
  const prefix = prefixes[source];
  return { source, families: Map.groupBy(tracks, (track) => nameOf(track).slice(prefix.length)) };
}

/** The count of the target; nothing for kinds whose count is in no series. */
export function targetTracks({ target }: Manifest, tracks: readonly Track[]): readonly Track[] {
  const own = targetSeries[target.kind];
  const found = tracks.filter((track) => nameOf(track) === own?.name);
  refuseSeveral(found, () => true);
  return found;
}

/** Labels of the process that was scraped, which changes while the object stays. */
const ofScraped: ReadonlySet<string> = new Set([
  "instance",
  "job",
  "pod",
  "container",
  "endpoint",
  "service",
  "node",
  "uid",
  "prometheus_replica",
  "replica",
  "exported_job",
  "exported_instance",
]);

function objectLabels(labels: Labels): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(labels).filter(([name]) => !ofScraped.has(name)));
}

/** Two objects of one name, of two clusters: which is meant cannot be known. */
function refuseSeveral(tracks: readonly Track[], isMeant: (track: Track) => boolean): void {
  const [first, ...others] = tracks.filter(isMeant).toSorted((a, b) => (a.atMs[0] ?? 0) - (b.atMs[0] ?? 0));
  if (first === undefined) return;
  const own = objectLabels(first.labels);
  for (const other of others) {
    const theirs = objectLabels(other.labels);
    const label = [...new Set([...Object.keys(own), ...Object.keys(theirs)])].find(
      (name) => own[name] !== theirs[name],
    );
    if (label === undefined || !overlap(first, other)) continue;
    const values = [own[label] ?? "", theirs[label] ?? ""].map((value) => JSON.stringify(value));
    const name = labelOf(first.labels, "horizontalpodautoscaler") ?? nameOf(first);
    throw new HistoryError(
      "ambiguous",
      `${name} is there with ${label} ${values.join(" and ")}: choose one with --selector ${label}=${values[0]}`,
    );
  }
}

function overlap(a: Track, b: Track): boolean {
  const [from, to] = [
    Math.max(a.atMs[0] ?? 0, b.atMs[0] ?? 0),
    Math.min(a.atMs.at(-1) ?? 0, b.atMs.at(-1) ?? 0),
  ];
  return to > from;
}

/** The process that was scraped: the series of one process at one instant are of one scrape. */
export function scrapedFrom({ labels }: Track): string {
  return `${labelOf(labels, "job") ?? ""} ${labelOf(labels, "instance") ?? ""} ${labelOf(labels, "pod") ?? ""}`;
}
