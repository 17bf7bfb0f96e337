// The column TARGETS of HPAs.
import { fieldOfType } from "@plimsoll/core/internal/objects";
import { canonicalQuantity } from "@plimsoll/core/internal/values";
import { type JsonRecord, numberAt, recordAt, recordsAt, stringAt, valueAt } from "../storage/json-value.ts";
import type { StoredObject } from "../storage/stored-object.ts";
import { shortList } from "./label-text.ts";

/**
 * Current and target value of each metric of an autoscaling/v2 HPA, the first two of them.
 * @upstream pkg/printers/internalversion/printers.go#formatHPAMetrics
 */
export function hpaTargets(hpa: StoredObject): string {
  const metrics = recordsAt(hpa, "spec", "metrics");
  if (metrics.length === 0) return "<none>";
  const current = recordsAt(hpa, "status", "currentMetrics");
  return shortList(
    metrics.map((metric, index) => metricText(metric, current[index])),
    2,
    ", ",
  );
}

function metricText(metric: JsonRecord, status: JsonRecord | undefined): string {
  const field = fieldOfType[stringAt(metric, "type") ?? ""];
  if (field === undefined) return "<unknown type>";
  const source = recordAt(metric, field);
  const target = recordAt(source, "target");
  const current = recordAt(status, field, "current");
  const average = quantityAt(target, "averageValue");
  const averages = `${quantityAt(current, "averageValue") ?? unknown}/${average ?? unknown}`;
  if (field === "resource" || field === "containerResource") {
    const name = stringAt(source, "name") ?? "";
    if (average !== undefined) return `${name}: ${averages}`;
    return `${name}: ${percentAt(current) ?? unknown}/${percentAt(target) ?? "<auto>"}`;
  }
  if (field === "pods") return averages;
  if (average !== undefined) return `${averages} (avg)`;
  return `${quantityAt(current, "value") ?? unknown}/${quantityAt(target, "value") ?? unknown}`;
}

const unknown = "<unknown>";

function percentAt(value: JsonRecord | undefined): string | undefined {
  const percent = numberAt(value, "averageUtilization");
  return percent === undefined ? undefined : `${percent}%`;
}

// A quantity may come as a bare number in JSON.
function quantityAt(value: JsonRecord | undefined, field: string): string | undefined {
  const found = valueAt(value, field);
  return typeof found === "string" || typeof found === "number"
    ? canonicalQuantity(String(found))
    : undefined;
}
