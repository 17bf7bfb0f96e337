// For tests: a made-up day of an autoscaler, decisions of a simulated run, and the series that kube-state-metrics has of it.
import type { Labels } from "@plimsoll/prometheus";
import { type Scenario, simulate } from "@plimsoll/simulator";
import type { RecordedPod, RecordedSpan, StatusTriple } from "../replay/recording.ts";

import { base, fromMs, readyAfterMs, workload } from "./scenario.ts";

export const scrapeMs = 15_000;
const graceMs = 30_000;
const phaseMs = 4_321;

/** As a test writes it to a Prometheus. */
export interface MadeUpSeries {
  readonly labels: Labels;
  readonly samples: readonly (readonly [atMs: number, value: number | "stale"])[];
}

export interface MadeUpDay {
  readonly series: readonly MadeUpSeries[];
  readonly toMs: number;
  readonly status: readonly StatusTriple[];
  readonly pods: readonly Pick<RecordedPod, "name" | "createdMs" | "ready" | "deletedMs">[];
  readonly syncs: readonly number[];
  readonly counts: readonly { readonly atMs: number; readonly value: number }[];
}

interface Decided {
  readonly atMs: number;
  readonly before: number;
  readonly desired: number;
  readonly value: number | undefined;
}

/** With `scale` times the load, and so the pods. */
export function madeUpDay(hours: number, { scale = 1 }: { readonly scale?: number } = {}): MadeUpDay {
  const toMs = fromMs + hours * 3_600_000;
  const decided = decisions(hours, scale);
  const counts = countsOf(decided);
  const pods = podsOf(counts);
  let at = -1;
  const status = instants(toMs).flatMap((atMs) => {
    while ((decided[at + 1]?.atMs ?? Infinity) < atMs) at++;
    const one = decided[at];
    if (one === undefined) return [];
    const { before, desired, value } = one;
    return [
      { atMs, currentReplicas: before, desiredReplicas: desired, values: [value], scalingActive: true },
    ];
  });
  const day = { toMs, status, pods, syncs: decided.map(({ atMs }) => atMs), counts };
  return { ...day, series: seriesWithin(day, { fromMs, toMs: toMs + 1 }) };
}

/** What is scraped in a part of the day. */
export function seriesWithin(
  { status, pods, counts, toMs }: Omit<MadeUpDay, "series">,
  span: RecordedSpan,
): readonly MadeUpSeries[] {
  const isWithin = (atMs: number): boolean => atMs >= span.fromMs && atMs < span.toMs;
  const scrapes = instants(toMs).filter(isWithin);
  const there = pods.filter(
    ({ createdMs, deletedMs = Infinity }) =>
      createdMs < span.toMs && deletedMs + graceMs + scrapeMs >= span.fromMs,
  );
  return [
    ...statusSeries(status.filter(({ atMs }) => isWithin(atMs))),
    ...specSeries(scrapes),
    ...countSeries(scrapes, counts),
    ...there.flatMap((pod) => podSeries(pod, scrapes)),
  ];
}

function instants(toMs: number): readonly number[] {
  const count = Math.floor((toMs - fromMs - phaseMs) / scrapeMs) + 1;
  return Array.from({ length: count }, (_, n) => fromMs + phaseMs + n * scrapeMs);
}

function decisions(hours: number, scale: number): readonly Decided[] {
  const points = Array.from({ length: hours * 12 + 1 }, (_, n) => n);
  const scenario: Scenario = {
    ...base,
    durationMs: hours * 3_600_000,
    workloads: [
      {
        ...workload,
        load: {
          kind: "points",
          shape: "lines",
          atMs: points.map((n) => fromMs + n * 300_000),
          perSecond: points.map((n) => scale * (1500 + 1300 * Math.sin(n / 7) + (n % 5) * 60)),
        },
      },
    ],
  };
  const found: Decided[] = [];
  simulate(scenario, {
    seriesPoints: 0,
    onSync({ atMs, result: { decision } }) {
      const [metric] = decision.status.currentMetrics ?? [];
      const text = metric?.pods?.current.averageValue;
      found.push({
        atMs,
        before: decision.currentReplicas,
        desired: decision.desiredReplicas,
        value:
          text === undefined
            ? undefined
            : text.endsWith("m")
              ? Number(text.slice(0, -1)) / 1000
              : Number(text),
      });
    },
  });
  return found;
}

function countsOf(decided: readonly Decided[]): readonly { readonly atMs: number; readonly value: number }[] {
  const counts: { atMs: number; value: number }[] = [];
  for (const { atMs, before, desired } of decided) {
    if (counts.length === 0) counts.push({ atMs: fromMs, value: before });
    if (desired !== counts.at(-1)?.value) counts.push({ atMs, value: desired });
  }
  return counts;
}

function floor(ms: number): number {
  return Math.floor(ms / 1000) * 1000;
}

/** As the API has them: whole seconds. The newest go first. */
function podsOf(counts: MadeUpDay["counts"]): MadeUpDay["pods"] {
  const pods: { name: string; createdMs: number; ready: { fromMs: number }[]; deletedMs?: number }[] = [];
  for (const [at, { atMs: changedMs, value }] of counts.entries()) {
    // The first ones have been there for long.
    const atMs = at === 0 ? changedMs - 3_600_000 : changedMs;
    const there = pods.filter(({ deletedMs }) => deletedMs === undefined);
    for (const pod of there.slice(value)) pod.deletedMs = floor(atMs);
    for (let n = there.length; n < value; n++) {
      const name = `shop-6d4cf56db6-${String(pods.length).padStart(5, "a")}`;
      pods.push({ name, createdMs: floor(atMs), ready: [{ fromMs: floor(atMs + readyAfterMs) }] });
    }
  }
  // What is gone before it is Ready never is.
  return pods.map((pod) => ({
    ...pod,
    ready: pod.ready.filter(({ fromMs: readyMs }) => readyMs + scrapeMs < (pod.deletedMs ?? Infinity)),
  }));
}

const scraped = { instance: "ksm:8080", job: "kube-state-metrics", namespace: "default" };

function own(name: string, labels: Labels = {}): Labels {
  return {
    __name__: `kube_horizontalpodautoscaler_${name}`,
    ...scraped,
    horizontalpodautoscaler: "shop",
    ...labels,
  };
}

function statusSeries(status: readonly StatusTriple[]): readonly MadeUpSeries[] {
  const metric = { metric_name: "load", metric_target_type: "average" };
  return [
    {
      labels: own("status_current_replicas"),
      samples: status.map(({ atMs, currentReplicas }) => [atMs, currentReplicas] as const),
    },
    {
      labels: own("status_desired_replicas"),
      samples: status.map(({ atMs, desiredReplicas }) => [atMs, desiredReplicas] as const),
    },
    {
      labels: own("status_target_metric", metric),
      samples: status.flatMap(({ atMs, values: [value] }) =>
        value === undefined ? [] : [[atMs, value] as const],
      ),
    },
    ...["true", "false", "unknown"].map((is) => ({
      labels: own("status_condition", { condition: "ScalingActive", status: is }),
      samples: status.map(({ atMs }) => [atMs, is === "true" ? 1 : 0] as const),
    })),
  ];
}

function specSeries(scrapes: readonly number[]): readonly MadeUpSeries[] {
  const metric = { metric_name: "load", metric_target_type: "average" };
  const constants: readonly (readonly [Labels, number])[] = [
    [own("info", { scaletargetref_kind: "Deployment", scaletargetref_name: "shop" }), 1],
    [own("spec_min_replicas"), 2],
    [own("spec_max_replicas"), 200],
    [own("spec_target_metric", metric), 100],
    [own("metadata_generation"), 1],
  ];
  return constants.map(([labels, value]) => ({
    labels,
    samples: scrapes.map((atMs) => [atMs, value] as const),
  }));
}

function countSeries(scrapes: readonly number[], counts: MadeUpDay["counts"]): readonly MadeUpSeries[] {
  const labels = { __name__: "kube_deployment_spec_replicas", ...scraped, deployment: "shop" };
  const at = (atMs: number) => counts.findLast((count) => count.atMs <= atMs)?.value ?? 0;
  return [{ labels, samples: scrapes.map((atMs) => [atMs, at(atMs)] as const) }];
}

function podSeries(pod: MadeUpDay["pods"][number], scrapes: readonly number[]): readonly MadeUpSeries[] {
  const { name, createdMs, deletedMs = Infinity } = pod;
  const goneMs = deletedMs + graceMs;
  const there = scrapes.filter((atMs) => atMs >= createdMs && atMs < goneMs);
  const end = scrapes.find((atMs) => atMs >= goneMs);
  const [{ fromMs: readyMs } = { fromMs: Infinity }] = pod.ready;
  const of = (
    family: string,
    value: (atMs: number) => number | undefined,
    labels: Labels = {},
  ): MadeUpSeries => {
    const samples = there.flatMap((atMs): (readonly [number, number | "stale"])[] => {
      const found = value(atMs);
      return found === undefined ? [] : [[atMs, found]];
    });
    if (end !== undefined && samples.length > 0) samples.push([end, "stale"]);
    return { labels: { __name__: family, ...scraped, pod: name, ...labels }, samples };
  };
  const isReady = (atMs: number) => atMs >= readyMs;
  return [
    of("kube_pod_created", () => createdMs / 1000),
    of("kube_pod_start_time", () => createdMs / 1000),
    of("kube_pod_owner", () => 1, { owner_kind: "ReplicaSet", owner_name: "shop-6d4cf56db6" }),
    of("kube_pod_container_resource_requests", () => 0.5, {
      container: "app",
      resource: "cpu",
      unit: "core",
    }),
    of("kube_pod_status_ready", (atMs) => (isReady(atMs) ? 1 : 0), { condition: "true" }),
    of("kube_pod_status_ready_time", (atMs) => (isReady(atMs) ? readyMs / 1000 : undefined)),
    of("kube_pod_deletion_timestamp", (atMs) => (atMs >= deletedMs ? goneMs / 1000 : undefined)),
  ].filter(({ samples }) => samples.length > 0);
}

/** The same as our own autoscaler has them of an object of this kind, with the instants of its decisions. */
export function asOurs({ series, syncs, toMs }: MadeUpDay, kind: string): readonly MadeUpSeries[] {
  const labels = {
    horizontalpodautoscaler: "shop",
    kind,
    ...scraped,
    instance: "autoscaler:8080",
    job: "autoscaler",
  };
  const nameOf = (one: MadeUpSeries): string => one.labels["__name__"] ?? "";
  const own = series
    .filter((one) => nameOf(one).startsWith("kube_horizontal") && !nameOf(one).endsWith("_generation"))
    .map(({ labels: theirs, samples }) => {
      const mode = theirs["scaletargetref_kind"] === undefined ? {} : { mode: "active" };
      const index = theirs["metric_name"] === undefined ? {} : { metric_index: "0" };
      const name = (theirs["__name__"] ?? "").replace("kube_", "plimsoll_");
      return { labels: { ...theirs, ...labels, ...mode, ...index, __name__: name }, samples };
    });
  const last = (atMs: number): number => syncs.findLast((sync) => sync < atMs) ?? 0;
  const decided = instants(toMs).flatMap((atMs) => {
    const at = last(atMs);
    return at === 0 ? [] : [[atMs, at / 1000] as const];
  });
  const family = "plimsoll_horizontalpodautoscaler_last_decision_timestamp_seconds";
  return [...own, { labels: { ...labels, __name__: family }, samples: decided }];
}
