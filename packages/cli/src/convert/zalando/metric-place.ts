import { type Json, jsonOf } from "../source.ts";
import { textOf } from "../values.ts";

/** A metric of an HPA, with where it stands. */
export interface MetricPlace {
  readonly path: string;
  readonly type: string;
  readonly name: string;
  /** What is below the type: metric, target and so on. */
  readonly source: Json;
}

/** In the order of spec.metrics. */
export function placesOf(metrics: unknown): readonly MetricPlace[] {
  return (Array.isArray(metrics) ? (metrics as readonly unknown[]) : []).map((item, index) => {
    const metric = jsonOf(item);
    const type = textOf(metric["type"]) ?? "";
    const field = type.charAt(0).toLowerCase() + type.slice(1);
    const source = jsonOf(metric[field]);
    const { name } = jsonOf(source["metric"]);
    return { path: `spec.metrics[${index}].${field}`, type, name: textOf(name) ?? "", source };
  });
}
