// histogram_quantile over classic histograms: series with the label `le`.
import { readFloat } from "../float.ts";
import { type LabelSet, valueOf, without, withoutName } from "../labels.ts";
import type { Row, Run } from "./plan.ts";
import { type Bucket, bucketQuantile } from "./quantile.ts";
import { checked } from "./rows.ts";

const boundLabel: ReadonlySet<string> = new Set(["le"]);

/** Series whose `le` isn't a number are left out. */
export function histogramQuantile(): (run: Run, q: number, rows: readonly Row[]) => readonly Row[] {
  return (run, q, rows) => {
    const histograms = new Map<string, { readonly labels: LabelSet; readonly buckets: Bucket[] }>();
    for (const { labels, value } of rows) {
      const bound = readFloat(valueOf(labels, "le"));
      if (bound === undefined) continue;
      const others = without(labels, boundLabel);
      const histogram = histograms.get(others.key) ?? { labels: withoutName(others), buckets: [] };
      histogram.buckets.push({ bound, count: value });
      histograms.set(others.key, histogram);
    }
    const results = [...histograms.values()].map(({ labels, buckets }) => ({
      labels,
      value: bucketQuantile(q, buckets),
    }));
    return checked(run, results);
  };
}
