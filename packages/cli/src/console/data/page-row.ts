// A row of the command line as the page has it, and the object that an address names.
import type { SummaryRow } from "../../decisions/source.ts";
import type { PageRow } from "../documents.ts";

export function pageRow({ minReplicas, maxReplicas, metrics, ...row }: SummaryRow): PageRow {
  return {
    ...row,
    ...(minReplicas === undefined ? {} : { min: minReplicas }),
    ...(maxReplicas === undefined ? {} : { max: maxReplicas }),
    metrics: metrics.map((metric) => ({
      ...metric,
      value: metric.value ?? null,
      target: metric.target ?? null,
      ratio: metric.ratio ?? null,
    })),
  };
}
