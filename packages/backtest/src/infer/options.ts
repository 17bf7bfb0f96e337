// What the load of a recording is inferred with.
import type { Autoscaler } from "@plimsoll/simulator";
import type { RecordedMetric } from "../replay/recording.ts";
import type { MetricKey } from "./metric-target.ts";
import type { LoadModel } from "./totals.ts";

/** How the recording's metrics were measured; it does not say so itself. */
export interface InferOptions {
  /** That of the recording. */
  readonly autoscaler: Autoscaler;
  readonly scrapeMs: number;
  /** Over how long metrics of pods are rates. Absent: as the recording says, or else a minute. */
  readonly rateMs?: number | undefined;
  /** Of Object and External metrics, by name; of a query by its position, such as `query[0]`. */
  readonly loadModels?: Readonly<Record<string, LoadModel>>;
}

/** A metric of the recorded specification. */
export interface KnownMetric {
  readonly key: MetricKey & { readonly index: number; readonly flagName: string };
  readonly metric: RecordedMetric;
}
