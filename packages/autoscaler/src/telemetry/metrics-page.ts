// What /metrics serves: the registry, and the series of single objects behind it.
import type { Registry } from "prom-client";

export interface MetricsPage {
  readonly contentType: string;
  /** The text as of now. It may be read slowly, and stopped anywhere. */
  slices(): AsyncGenerator<string>;
}

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
