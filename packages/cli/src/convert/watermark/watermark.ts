// Converts a WatermarkPodAutoscaler into a WorkloadAutoscaler.
import { checkedSpec } from "../checked-spec.ts";
import type { Conversion, Converter, ConvertSettings } from "../converter.ts";
import { createFindings, type Findings } from "../findings.ts";
import { keptMetadata } from "../hpa/metadata.ts";
import { type Json, jsonOf, type SourceObject } from "../source.ts";
import { type FieldReader, fieldPath, fieldReader } from "../values.ts";
import { workloadAutoscaler } from "../workload-autoscaler.ts";
import { noteDifferences } from "./differences.ts";
import { readPace } from "./pace.ts";
import { readMetrics, type WatermarkMetric } from "./read-metrics.ts";
import { downTolerance, readQuantity } from "./watermarks.ts";

export const watermarkGroup = "datadoghq.com";

export const watermarkConverter: Converter = {
  group: watermarkGroup,
  kind: "WatermarkPodAutoscaler",
  convert: (source, { settings }) => convert(source, settings),
};

const specFields = [
  "downscaleForbiddenWindowSeconds",
  "upscaleForbiddenWindowSeconds",
  "scaleUpLimitFactor",
  "upscaleDelayAboveWatermarkSeconds",
  "scaleDownLimitFactor",
  "downscaleDelayBelowWatermarkSeconds",
  "replicaScalingAbsoluteModulo",
  "convergeTowardsWatermark",
  "tolerance",
  "algorithm",
  "dryRun",
  "tolerateZero",
  "scaleTargetRef",
  "metrics",
  "recommender",
  "minReplicas",
  "minAvailableReplicaPercentage",
  "maxReplicas",
  "readinessDelaySeconds",
];

function convert(source: SourceObject, settings: ConvertSettings): Conversion {
  const findings = createFindings();
  if (source.apiVersion !== `${watermarkGroup}/v1alpha1`) {
    const message = "is no version of the kind";
    const remedy = `use ${watermarkGroup}/v1alpha1`;
    findings.problem({ path: "apiVersion", value: source.apiVersion, message, remedy });
  }
  const metadata = metadataOf(source, findings);
  const spec = fieldReader(source.value["spec"], "spec", findings);
  spec.onlyKnown(specFields, "a WatermarkPodAutoscaler");
  const target = spec.inner("scaleTargetRef");
  target.onlyKnown(["apiVersion", "kind", "name"], "scaleTargetRef");
  const apiVersion = target.text("apiVersion");
  const metrics = readMetrics(spec, findings);
  const tolerance = readTolerance(spec, findings);
  const pace = readPace(spec, findings);
  noteDifferences(spec, metrics, findings);
  const mode = spec.flag("dryRun") === true ? "Shadow" : settings.mode;
  const written = {
    scaleTargetRef: {
      ...(apiVersion === undefined ? {} : { apiVersion }),
      kind: target.requiredText("kind") ?? "",
      name: target.requiredText("name") ?? "",
    },
    minReplicas: spec.whole("minReplicas", 1) ?? 1,
    maxReplicas: readMax(spec, findings),
    ...(mode === undefined ? {} : { mode }),
    metrics: metrics.map(({ metric }) => metric),
    behavior: {
      scaleUp: { ...pace.scaleUp, tolerance: String(tolerance / 1000) },
      scaleDown: { ...pace.scaleDown, tolerance: commonTolerance(metrics, tolerance, findings) },
    },
    tuning: pace.tuning,
  };
  if (findings.problems.length === 0) for (const problem of checkedSpec(written)) findings.problem(problem);
  if (findings.problems.length > 0) return { ok: false, problems: findings.problems };
  return { ok: true, documents: [workloadAutoscaler(source, metadata, written)], notes: findings.notes };
}

function readMax(spec: FieldReader, findings: Findings): number {
  const found = spec.whole("maxReplicas", 1);
  if (found === undefined && spec.value["maxReplicas"] === undefined)
    findings.problem({ path: spec.at("maxReplicas"), message: "is missing", remedy: "write it" });
  return found ?? 1;
}

/** In thousandths. */
function readTolerance(spec: FieldReader, findings: Findings): number {
  const usual = 100;
  const found = readQuantity(spec, "tolerance", findings);
  // 0 is absent, for that controller.
  if (found === undefined || found === 0) return usual;
  if (found > 0 && found <= 1000) return found;
  const path = spec.at("tolerance");
  const message = "is not between 0 and 1";
  findings.problem({ path, value: spec.value["tolerance"], message, remedy: "correct it" });
  return usual;
}

/** The watermarks are those of a metric, and the tolerance that of the object. */
function commonTolerance(
  metrics: readonly WatermarkMetric[],
  toleranceMilli: number,
  findings: Findings,
): string {
  const all = metrics.map(({ watermarks }) => downTolerance(watermarks, toleranceMilli));
  const highest = Math.max(0, ...all);
  for (const [index, own] of all.entries()) {
    const path = metrics[index]?.path;
    if (own === highest || path === undefined) continue;
    findings.note({
      path: `${path}.lowWatermark`,
      message: `would be a tolerance of ${own}, and the object has one for all metrics, ${highest}: this metric agrees to fewer replicas later`,
      remedy: "bring the watermarks of all metrics into the same proportion",
    });
  }
  return String(highest);
}

function metadataOf(source: SourceObject, findings: Findings): Json {
  const own = jsonOf(source.value["metadata"]);
  if (typeof own["name"] !== "string" || own["name"] === "")
    findings.problem({ path: "metadata.name", message: "is missing", remedy: "give the object a name" });
  const { finalizers, ...rest } = own;
  const others = Array.isArray(finalizers)
    ? finalizers.filter((one) => !String(one).endsWith("watermarkpodautoscaler.datadoghq.com"))
    : [];
  const { metadata, notes } = keptMetadata({
    ...rest,
    ...(others.length === 0 ? {} : { finalizers: others }),
  });
  for (const note of notes) findings.note(note);
  const annotations = jsonOf(metadata["annotations"]);
  const kept = Object.entries(annotations).filter(([name]) => !name.startsWith("wpa.datadoghq.com/"));
  for (const name of Object.keys(annotations))
    if (name.startsWith("wpa.datadoghq.com/")) noteAnnotation(name, findings);
  const { annotations: _, ...others_ } = metadata;
  return { ...others_, ...(kept.length === 0 ? {} : { annotations: Object.fromEntries(kept) }) };
}

function noteAnnotation(name: string, findings: Findings): void {
  const isLifecycle = name === "wpa.datadoghq.com/lifecycle-control.enabled";
  findings.note({
    path: fieldPath("metadata.annotations", name),
    message: isLifecycle
      ? "is left out: no DatadogMonitor stops the scaling"
      : "is left out: it is about that controller",
    remedy: isLifecycle ? "set mode: Paused where scaling has to stop" : "nothing is to be done",
  });
}
