import { type Fields, fieldsOf } from "@plimsoll/core/internal/values";
import { textOf } from "../values.ts";

/** A metric of an HPA, with where it stands. */
export interface MetricPlace {
  readonly path: string;
  readonly type: string;
  readonly name: string;
  /** What is below the type: metric, target and so on. */
  readonly source: Fields;
}

/** In the order of spec.metrics. */
export function placesOf(metrics: unknown): readonly MetricPlace[] {
  return (Array.isArray(metrics) ? (metrics as readonly unknown[]) : []).map((item, index) => {
    const metric = fieldsOf(item);
    const type = textOf(metric["type"]) ?? "";
    const field = type.charAt(0).toLowerCase() + type.slice(1);
    const source = fieldsOf(metric[field]);
    const { name } = fieldsOf(source["metric"]);
    return { path: `spec.metrics[${index}].${field}`, type, name: textOf(name) ?? "", source };
  });
}
