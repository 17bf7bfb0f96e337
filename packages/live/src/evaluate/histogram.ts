// histogram_quantile over classic histograms: series with the label `le`.
import { readFloat } from "../float.ts";
import { type LabelSet, memoized, valueOf, without, withoutName } from "../labels.ts";
import type { Row, Run } from "./plan.ts";
import { type Bucket, bucketQuantile } from "./quantile.ts";
import { checked } from "./rows.ts";

const boundLabel: ReadonlySet<string> = new Set(["le"]);

interface Member {
  readonly bound: number | undefined;
  /** Equal for the buckets of one histogram. */
  readonly key: string;
  readonly labels: LabelSet;
}

/** Series whose `le` isn't a number are left out. */
export function histogramQuantile(): (run: Run, q: number, rows: readonly Row[]) => readonly Row[] {
  const memberOf = memoized((labels): Member => {
    const others = without(labels, boundLabel);
    return { bound: readFloat(valueOf(labels, "le")), key: others.key, labels: withoutName(others) };
  });
  return (run, q, rows) => {
    const histograms = new Map<string, { readonly labels: LabelSet; readonly buckets: Bucket[] }>();
    for (const { labels, value } of rows) {
      const member = memberOf(labels);
      if (member.bound === undefined) continue;
      const histogram = histograms.get(member.key) ?? { labels: member.labels, buckets: [] };
      histogram.buckets.push({ bound: member.bound, count: value });
      histograms.set(member.key, histogram);
    }
    const results = [...histograms.values()].map(({ labels, buckets }) => ({
      labels,
      value: bucketQuantile(q, buckets),
    }));
    return checked(run, results);
  };
}
