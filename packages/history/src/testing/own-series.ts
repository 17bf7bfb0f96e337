// For tests: the series of our own autoscaler on the made-up day.
import { instants, type MadeUpDay, type MadeUpSeries, scraped } from "./made-up-day.ts";

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
