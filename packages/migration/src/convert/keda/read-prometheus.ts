// Reads prometheus triggers.
import { promqlProblem, valueTypeOf } from "@plimsoll/prometheus/syntax";
import type { Findings } from "../findings.ts";
import { readGoBoolean } from "../go-boolean.ts";
import { isUsableQuery } from "../promql-query.ts";
import { decimal, type FieldReader } from "../values.ts";
import { noteUnknown } from "./read-resource.ts";
import { readServer } from "./read-server.ts";
import type { PrometheusTrigger } from "./trigger.ts";

const metadataFields = [
  "serverAddress",
  "query",
  "queryParameters",
  "threshold",
  "activationThreshold",
  "namespace",
  "customHeaders",
  "ignoreNullValues",
  "unsafeSsl",
  "authModes",
  "awsRegion",
  "timeout",
  "identityOwner",
  // Of KEDA before 2.12, and without effect since.
  "metricName",
];

export function readPrometheus(
  trigger: FieldReader,
  index: number,
  findings: Findings,
): PrometheusTrigger | undefined {
  const metadata = trigger.inner("metadata");
  noteUnknown(metadata, metadataFields, "a prometheus trigger", findings);
  const query = metadata.requiredText("query");
  const isUsable = query !== undefined && isVector(query, metadata.at("query"), findings);
  const threshold = readThreshold(metadata, findings);
  const activationThreshold = readActivation(metadata, findings);
  const ignoresNull = readGoBoolean(metadata, "ignoreNullValues", findings) ?? true;
  const type = trigger.text("metricType") ?? "AverageValue";
  const server = readServer(trigger, metadata, findings);
  if (type !== "AverageValue" && type !== "Value") {
    findings.problem({
      path: trigger.at("metricType"),
      value: type,
      message: "must be AverageValue or Value",
      remedy: "use one of them; KEDA also rejects Utilization for this trigger",
    });
    return undefined;
  }
  if (!isUsable || threshold === undefined || activationThreshold === undefined || server === undefined)
    return undefined;
  return {
    kind: "prometheus",
    index,
    name: trigger.text("name") ?? "",
    query,
    server,
    threshold,
    isValue: type === "Value",
    activationThreshold,
    ignoresNull,
  };
}

/** KEDA reads no other result of a query. */
function isVector(query: string, path: string, findings: Findings): boolean {
  if (!isUsableQuery(query, path, findings)) return false;
  if (promqlProblem(query) !== undefined) return true;
  const type = valueTypeOf(query);
  if (type === "vector") return true;
  findings.problem({
    path,
    value: query.slice(0, 200),
    message: `returns a ${type}, which KEDA can't read either`,
    remedy: "use a query that returns a vector with one element, such as vector(…) around a number",
  });
  return false;
}

/** KEDA rounds it to thousandths. */
function readThreshold(metadata: FieldReader, findings: Findings): number | undefined {
  const text = metadata.requiredText("threshold");
  if (text === undefined) return undefined;
  const found = decimal(text);
  if (found !== undefined && found >= 0.0005 && found < 1e15) return found;
  findings.problem({
    path: metadata.at("threshold"),
    value: text,
    message: "is not a number of at least 0.001",
    remedy: "correct it; if the numbers are small, multiply both the query and the threshold",
  });
  return undefined;
}

function readActivation(metadata: FieldReader, findings: Findings): number | undefined {
  const text = metadata.text("activationThreshold");
  if (text === undefined || text.trim() === "") return 0;
  const found = decimal(text);
  if (found !== undefined) return found;
  findings.problem({
    path: metadata.at("activationThreshold"),
    value: text,
    message: "is not a number",
    remedy: "correct it",
  });
  return undefined;
}
