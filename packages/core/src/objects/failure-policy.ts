import type { MetricSamples } from "./samples.ts";

/** What a metric does to the decision while it cannot be read. "Block" is upstream's rule and the default. */
export type FailurePolicy =
  /** No scale-down while the metric fails. */
  | { readonly policy: "Block" }
  /** How long its last good samples count after they were read; then it blocks. */
  | ((
      | { readonly policy: "HoldLast"; readonly forSeconds: number }
      /** The other metrics decide without it; alone it blocks. */
      | { readonly policy: "Ignore" }
      /** Every pod, object or series is taken to have this quantity; a Resource metric blocks instead. */
      | { readonly policy: "Assume"; readonly value: string | number }
      /** It proposes this number of replicas, as any metric does. When no metric can be read, it lowers replicas only with allowScaleDown. */
      | { readonly policy: "Fallback"; readonly replicas: number; readonly allowScaleDown?: boolean }
    ) & {
      /** How long the metric has to fail before the policy is used; until then it blocks. Absent: it is used at once. */
      readonly afterSeconds?: number;
    });

/** The samples of the last evaluation in which a metric gave a proposal. */
export interface LastGoodSamples {
  readonly samples: MetricSamples;
  readonly atMs: number;
}
