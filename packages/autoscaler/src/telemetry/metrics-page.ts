// What /metrics serves: the registry, and the series of single objects behind it.
import type { Registry } from "prom-client";

export interface MetricsPage {
  readonly contentType: string;
  /** The text as of now. It may be read slowly, and stopped anywhere. */
  slices(): AsyncGenerator<string>;
}

/** What callers with the right to read /metrics get, and what anyone gets who reaches a port. */
export interface MetricsPages {
  readonly all: MetricsPage;
  /** Without names, targets, or values of objects. */
  readonly process: MetricsPage;
}

/** As createMetricsPage, and the page for anyone. */
export function createMetricsPages(
  registry: Registry,
  parts: readonly (() => Iterable<string>)[],
): MetricsPages {
  return {
    all: createMetricsPage(registry, parts),
    process: {
      contentType: registry.contentType,
      async *slices() {
        for (const { name, values } of await registry.getMetricsAsJSON()) {
          const isOfProcess = values.every(({ labels }) =>
            Object.keys(labels).every((label) => processLabels.has(label)),
          );
          if (isOfProcess) yield `${await registry.getSingleMetricAsString(name)}\n\n`;
        }
      },
    },
  };
}

/** Labels whose values are ours or Node's. A family with any other label, such as namespace, may name what a tenant has. */
const ownLabels = "action api cache error metric_type reason result step urgency what";
const nodeLabels = "le quantile space type kind version major minor patch";
const processLabels = new Set(`${ownLabels} ${nodeLabels}`.split(" "));

/** `parts`: written behind the registry's own; each makes whole families. */
export function createMetricsPage(
  registry: Registry,
  parts: readonly (() => Iterable<string>)[],
): MetricsPage {
  return {
    contentType: registry.contentType,
    async *slices() {
      yield `${await registry.metrics()}\n`;
      for (const part of parts) yield* part();
    },
  };
}

/** The whole text. */
export async function textOf({ slices }: MetricsPage): Promise<string> {
  let text = "";
  for await (const slice of slices()) text += slice;
  return text;
}
