// Counters: one for hot paths, and one of objects that are left out.
import { Counter, type Registry } from "prom-client";

export interface PlainCounterOptions<Label extends string> {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly Label[];
  readonly registers: Registry[];
  /** Label values that are shown from the start, with 0. */
  readonly known?: readonly (readonly string[])[];
}

interface Sum<Label extends string> {
  readonly labels: Partial<Record<Label, string>>;
  pending: number;
}

/** A counter for hot paths: it adds plain numbers, and writes them into the metric when it is collected. */
export function createPlainCounter<Label extends string>(options: PlainCounterOptions<Label>) {
  const sums = new Map<string, Sum<Label>>();
  const counter = new Counter<Label>({
    ...options,
    collect: () => {
      for (const sum of sums.values()) {
        if (sum.pending > 0) {
          counter.inc(sum.labels, sum.pending);
          sum.pending = 0;
        }
      }
    },
  });
  const sumOf = (labelValues: readonly string[]): Sum<Label> => {
    const key = labelValues.join("\n");
    const found = sums.get(key);
    if (found !== undefined) return found;
    const labels: Partial<Record<Label, string>> = {};
    options.labelNames.forEach((label, index) => {
      labels[label] = labelValues[index] ?? "";
    });
    const sum = { labels, pending: 0 };
    sums.set(key, sum);
    return sum;
  };
  for (const labelValues of options.known ?? []) counter.inc(sumOf(labelValues).labels, 0);
  return {
    /** One more; the values are those of the labels, in order. Their number must be small and fixed. */
    add: (...labelValues: readonly string[]): void => {
      sumOf(labelValues).pending += 1;
    },
  };
}

/** Counts one of this resource. */
export function createLeftOutCounter(registry: Registry | undefined): (resource: string) => void {
  const counter = new Counter({
    name: "plimsoll_adapter_objects_left_out_total",
    help: "Objects left out because they are too large or unreadable.",
    labelNames: ["resource"],
    registers: registry === undefined ? [] : [registry],
  });
  return (resource) => counter.inc({ resource });
}
