// Reads the metrics of a WatermarkPodAutoscaler.
import type { Findings } from "../findings.ts";
import { type FieldReader, fieldReader } from "../values.ts";
import { readWatermarks, type Watermarks } from "./watermarks.ts";

export interface WatermarkMetric {
  readonly path: string;
  readonly watermarks: Watermarks;
  readonly metric: object;
}

const maxMetrics = 100;

export function readMetrics(spec: FieldReader, findings: Findings): readonly WatermarkMetric[] {
  const list = spec.list("metrics");
  const path = spec.at("metrics");
  if (list.length > maxMetrics) {
    const message = `has ${list.length} entries, and an autoscaler has ${maxMetrics} metrics at most`;
    findings.problem({ path, message, remedy: "divide the object" });
    return [];
  }
  if (list.length === 0 && spec.value["recommender"] === undefined)
    findings.problem({ path, message: "has no metrics", remedy: "write at least one" });
  // What is not average is absolute, for that controller.
  const isAverage = spec.text("algorithm") === "average";
  return list.flatMap((item, index) => {
    const reader = fieldReader(item, `${path}[${index}]`, findings);
    return readMetric(reader, isAverage, findings) ?? [];
  });
}

function readMetric(
  reader: FieldReader,
  isAverage: boolean,
  findings: Findings,
): WatermarkMetric | undefined {
  reader.onlyKnown(["type", "external", "resource"], "a metric");
  const type = reader.requiredText("type");
  if (type === "External") return readExternal(reader.inner("external"), isAverage, findings);
  if (type === "Resource") return readResource(reader.inner("resource"), isAverage, findings);
  if (type !== undefined) {
    const message = "is neither External nor Resource";
    findings.problem({ path: reader.at("type"), value: type, message, remedy: "correct it" });
  }
  return undefined;
}

function readExternal(
  source: FieldReader,
  isAverage: boolean,
  findings: Findings,
): WatermarkMetric | undefined {
  source.onlyKnown(["metricName", "metricSelector", "highWatermark", "lowWatermark"], "external");
  const name = source.requiredText("metricName");
  const watermarks = readWatermarks(source, findings);
  const selector = source.inner("metricSelector").value;
  if (name === undefined || watermarks === undefined) return undefined;
  const { highText } = watermarks;
  const metric = {
    type: "External",
    external: {
      metric: { name, ...(Object.keys(selector).length === 0 ? {} : { selector }) },
      target: isAverage
        ? { type: "AverageValue", averageValue: highText }
        : { type: "Value", value: highText },
    },
  };
  return { path: source.path, watermarks, metric };
}

function readResource(
  source: FieldReader,
  isAverage: boolean,
  findings: Findings,
): WatermarkMetric | undefined {
  source.onlyKnown(["name", "metricSelector", "highWatermark", "lowWatermark"], "resource");
  const name = source.requiredText("name");
  const watermarks = readWatermarks(source, findings);
  if (!isAverage) {
    findings.problem({
      path: source.path,
      message:
        "is compared as the sum over all pods, by algorithm absolute: more replicas do not lower it, and no metric of an HPA is so",
      remedy: "write algorithm: average with watermarks for one pod",
    });
    return undefined;
  }
  if (name === undefined || watermarks === undefined) return undefined;
  if (source.value["metricSelector"] !== undefined)
    findings.note({
      path: source.at("metricSelector"),
      message: "is left out: the pods are those of the target",
      remedy: "nothing is to be done, unless it selects others",
    });
  const target = { type: "AverageValue", averageValue: watermarks.highText };
  return { path: source.path, watermarks, metric: { type: "Resource", resource: { name, target } } };
}
