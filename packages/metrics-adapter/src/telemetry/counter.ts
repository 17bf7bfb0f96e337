// Defines metrics, with a counter for hot paths.
import { Counter, Gauge, Histogram, type Registry } from "prom-client";

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

const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Makes metrics of these registries. */
export function define(registers: Registry[]) {
  return {
    counter: <L extends string>(name: string, help: string, labelNames: L[] = []) =>
      new Counter({ name, help, labelNames, registers }),
    plainCounter: <L extends string>(
      name: string,
      help: string,
      labelNames: L[],
      known?: PlainCounterOptions<L>["known"],
    ) => createPlainCounter({ name, help, labelNames, registers, ...(known === undefined ? {} : { known }) }),
    gauge: <L extends string>(name: string, help: string, labelNames: L[] = []) =>
      new Gauge({ name, help, labelNames, registers }),
    /** In seconds. */
    histogram: <L extends string>(name: string, help: string, labelNames: L[]) =>
      new Histogram({ name, help, labelNames, buckets, registers }),
    /** A gauge whose series are set when metrics are collected. */
    sampled<L extends string>(
      name: string,
      help: string,
      labelNames: L[],
      set: (gauge: Gauge<L>) => void,
    ): void {
      const gauge: Gauge<L> = new Gauge({
        name,
        help,
        labelNames,
        registers,
        collect: () => {
          gauge.reset();
          set(gauge);
        },
      });
    },
  };
}

/** Counts one of this resource. */
export function createLeftOutCounter(registry: Registry | undefined): (resource: string) => void {
  const counter = define(registry === undefined ? [] : [registry]).counter(
    "plimsoll_adapter_objects_left_out_total",
    "Objects left out because they are too large or unreadable.",
    ["resource"],
  );
  return (resource) => counter.inc({ resource });
}
