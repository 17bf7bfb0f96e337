// Reads the triggers of a ScaledObject.
import { fieldsOf } from "@plimsoll/core/internal/values";
import type { Findings } from "../findings.ts";
import { type FieldReader, fieldReader, textOf } from "../values.ts";
import { readCron } from "./read-cron.ts";
import { readPrometheus } from "./read-prometheus.ts";
import { readResource } from "./read-resource.ts";
import { type Trigger, triggerPath } from "./trigger.ts";

/** The metrics of an object are limited to this many. */
const maxTriggers = 100;

const triggerFields = ["type", "name", "useCachedMetrics", "metadata", "authenticationRef", "metricType"];

/** The triggers that can be carried over; the others are problems. */
export function readTriggers(spec: FieldReader, findings: Findings): readonly Trigger[] {
  const list = spec.list("triggers");
  const path = spec.at("triggers");
  if (list.length === 0) findings.problem({ path, message: "has no triggers", remedy: "write at least one" });
  if (list.length > maxTriggers) {
    const message = `has ${list.length} entries, but an autoscaler can have at most ${maxTriggers} metrics`;
    findings.problem({ path, message, remedy: "split the object" });
    return [];
  }
  const names = list.map((item) => textOf(fieldsOf(item)["name"]) ?? "");
  for (const [index, value] of names.entries()) {
    const first = names.indexOf(value);
    if (value === "" || first === index) continue;
    const message = `is also the name of ${triggerPath(first)}`;
    const remedy = "use another name; KEDA also rejects this";
    findings.problem({ path: `${triggerPath(index)}.name`, value, message, remedy });
  }
  return list.flatMap((item, index) => readTrigger(item, index, findings) ?? []);
}

function readTrigger(item: unknown, index: number, findings: Findings): Trigger | undefined {
  const trigger = fieldReader(item, triggerPath(index), findings);
  trigger.onlyKnown(triggerFields, "a trigger");
  const type = trigger.requiredText("type");
  noteCaching(trigger, findings);
  switch (type) {
    case "cpu":
    case "memory":
      noteAuthentication(trigger, findings);
      return readResource(trigger, { index, name: type }, findings);
    case "cron":
      noteAuthentication(trigger, findings);
      return readCron(trigger, index, findings);
    case "prometheus":
      return readPrometheus(trigger, index, findings);
    case undefined:
      return undefined;
    default:
      findings.problem({
        path: trigger.at("type"),
        value: type,
        message: "is a scaler that has no equivalent",
        remedy: "export its value to Prometheus, and use a trigger of type prometheus",
      });
      return undefined;
  }
}

function noteCaching(trigger: FieldReader, findings: Findings): void {
  if (trigger.flag("useCachedMetrics") !== true) return;
  findings.note({
    path: trigger.at("useCachedMetrics"),
    value: true,
    message: "is left out",
    remedy: "nothing to do: metrics-adapter shares results among requests, for --metrics-result-max-age",
  });
}

function noteAuthentication(trigger: FieldReader, findings: Findings): void {
  if (trigger.value["authenticationRef"] === undefined) return;
  findings.note({
    path: trigger.at("authenticationRef"),
    message: "is left out because such a trigger has no server",
    remedy: "nothing to do",
  });
}
