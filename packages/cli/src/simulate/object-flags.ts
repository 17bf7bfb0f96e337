// What flags say of how the load of an object goes on.
import { parseGoDuration } from "@plimsoll/core/duration";
import type { MetricChange } from "@plimsoll/simulator";
import { type FieldChange, readChange } from "../replay/set.ts";
import { CliError } from "../seams.ts";

/** Changes of the record, and of the metrics in time. */
export interface ObjectChanges {
  readonly fields: readonly FieldChange[];
  readonly metrics: readonly MetricChange[];
}

/** A field of a record has steps; the name of a metric has none of these first words. */
const field = /^(?:spec|status|options|scale|pods|samples|failurePolicies|schedules|memory)[.[]/;

/** `--set FIELD=VALUE`, `--set METRIC=120%`, and `--at 5m:METRIC=900`. @throws CliError */
export function readObjectChanges(set: readonly string[], at: readonly string[]): ObjectChanges {
  const later = at.map((text) => {
    const colon = text.indexOf(":");
    const afterMs = colon < 0 ? undefined : parseGoDuration(text.slice(0, colon));
    if (afterMs === undefined || afterMs < 0)
      throw new CliError(`--at ${text}: write when and what, such as 5m:queue_depth=900`);
    return readMetric(`--at ${text}`, text.slice(colon + 1), afterMs);
  });
  return {
    fields: set.filter((text) => field.test(text)).map(readChange),
    metrics: [
      ...set.filter((text) => !field.test(text)).map((text) => readMetric(`--set ${text}`, text, 0)),
      ...later.toSorted((a, b) => a.afterMs - b.afterMs),
    ],
  };
}

function readMetric(flag: string, text: string, afterMs: number): MetricChange {
  const [, metric, amount, percent] = /^(.+)=(\d+(?:\.\d+)?)(%?)$/.exec(text) ?? [];
  if (metric === undefined)
    throw new CliError(`${flag}: write a metric and its total, or a part of what it is, such as cpu=120%`);
  const value = Number(amount);
  return { afterMs, metric, to: percent === "%" ? { factor: value / 100 } : { total: value } };
}
