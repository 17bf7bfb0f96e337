// Converts a ScaledObject of KEDA into a WorkloadAutoscaler and the rules of its metrics.
import { type Fields, fieldsOf } from "@plimsoll/core/internal/values";
import { readSchedules, zoneOffset } from "@plimsoll/core/schedules";
import type { SourceObject } from "../../manifests/source.ts";
import { checkedSpec } from "../checked-spec.ts";
import type { Conversion, Converter, ConvertSettings } from "../converter.ts";
import { createFindings, type Findings } from "../findings.ts";
import { keptMetadata } from "../hpa/metadata.ts";
import { maxMetricName, metricNameOf } from "../needed-rule.ts";
import { type FieldReader, fieldReader, textOf } from "../values.ts";
import { workloadAutoscaler } from "../workload-autoscaler.ts";
import { isOfKeda, type KedaSwitches, readSwitches } from "./annotations.ts";
import { readBounds } from "./bounds.ts";
import { type Composed, compose, type Rest } from "./compose.ts";
import { readFallback } from "./fallback.ts";
import { withModifiers } from "./modifiers.ts";
import { behaviorOf, notePace } from "./pace.ts";
import { readTriggers } from "./read-triggers.ts";
import { type Trigger, triggerPath } from "./trigger.ts";

export const kedaGroup = "keda.sh";

export const scaledObjectConverter: Converter = {
  group: kedaGroup,
  kind: "ScaledObject",
  convert: (source, { settings }) => convert(source, settings),
};

const specFields = [
  "scaleTargetRef",
  "pollingInterval",
  "initialCooldownPeriod",
  "cooldownPeriod",
  "idleReplicaCount",
  "minReplicaCount",
  "maxReplicaCount",
  "advanced",
  "triggers",
  "fallback",
];

/** Ways to zero after which a metric or a schedule starts the target; with schedules alone zero is a count like any other. */
const adopting: readonly Rest[] = ["by-metrics", "outside-schedule"];

function convert(source: SourceObject, settings: ConvertSettings): Conversion {
  const findings = createFindings();
  if (source.apiVersion !== `${kedaGroup}/v1alpha1`) {
    const message = "is not a version of this kind";
    const remedy = `use ${kedaGroup}/v1alpha1`;
    findings.problem({ path: "apiVersion", value: source.apiVersion, message, remedy });
  }
  const metadata = metadataOf(source, findings);
  const spec = fieldReader(source.value["spec"], "spec", findings);
  spec.onlyKnown(specFields, "a ScaledObject");
  const switches = readSwitches(fieldsOf(source.value["metadata"]), findings);
  const bounds = readBounds(spec, findings);
  const advanced = readAdvanced(spec, findings);
  const behavior = behaviorOf(advanced, switches);
  const fallback = readFallback(spec, findings);
  const read = readTriggers(spec, findings);
  const counted = settings.metricRules === undefined ? read : read.map((one) => withoutNulls(one, findings));
  const triggers = withModifiers(advanced.inner("scalingModifiers"), counted, findings);
  const scaleTargetRef = readTarget(spec, findings);
  const isForced = switches.forcesActivation;
  const composed = compose({ triggers, bounds, fallback, isForced, nameOf: namer(metadata) }, findings);
  notePace(spec, { bounds, rest: composed.rest }, findings);
  const written = {
    scaleTargetRef,
    minReplicas: composed.minReplicas,
    maxReplicas: bounds.max,
    // KEDA starts a target at zero, whoever scaled it there.
    ...(bounds.inactive === 0 && adopting.includes(composed.rest) ? { adopt: "FromZero" } : {}),
    ...modeOf(switches, settings),
    ...(composed.metrics.length === 0 ? {} : { metrics: composed.metrics }),
    ...(composed.schedules.length === 0 ? {} : { schedules: composed.schedules }),
    ...(behavior === undefined ? {} : { behavior }),
  };
  // What follows would only repeat what is known by now.
  if (findings.problems.length === 0) check(written, composed, findings);
  if (findings.problems.length > 0) return { ok: false, problems: findings.problems };
  const document = workloadAutoscaler(source, metadata, written);
  return { ok: true, documents: [document], notes: findings.notes, rules: composed.rules };
}

/** Without what belongs to KEDA. */
function metadataOf(source: SourceObject, findings: Findings): Fields {
  const own = fieldsOf(source.value["metadata"]);
  if (typeof own["name"] !== "string" || own["name"] === "") {
    const remedy = "add a name";
    findings.problem({ path: "metadata.name", message: "is missing", remedy });
  }
  const { finalizers, ...rest } = own;
  const others = Array.isArray(finalizers) ? finalizers.filter((one) => one !== "finalizer.keda.sh") : [];
  const { metadata, notes } = keptMetadata({
    ...rest,
    ...(others.length === 0 ? {} : { finalizers: others }),
  });
  for (const note of notes) findings.note(note);
  const kept = Object.entries(metadata).flatMap(([key, value]): readonly (readonly [string, unknown])[] => {
    if (key !== "annotations" && key !== "labels") return [[key, value]];
    const entries = Object.entries(fieldsOf(value)).filter(([name]) => !isOfKeda(name));
    return entries.length === 0 ? [] : [[key, Object.fromEntries(entries)]];
  });
  return Object.fromEntries(kept);
}

function namer({ name, namespace }: Fields): (index: number) => string {
  const object = { name: textOf(name) ?? "", namespace: typeof namespace === "string" ? namespace : "" };
  return (index) => metricNameOf(object, `s${index}`);
}

function readTarget(spec: FieldReader, findings: Findings): Fields {
  const target = spec.inner("scaleTargetRef");
  target.onlyKnown(["apiVersion", "kind", "name", "envSourceContainerName"], "scaleTargetRef");
  const container = target.text("envSourceContainerName");
  if (container !== undefined)
    findings.note({
      path: target.at("envSourceContainerName"),
      value: container,
      message: "is left out: no setting comes from a container's environment",
      remedy: "nothing to do, unless a trigger has metadata ending in FromEnv",
    });
  return {
    apiVersion: target.text("apiVersion") ?? "apps/v1",
    kind: target.text("kind") ?? "Deployment",
    name: target.requiredText("name") ?? "",
  };
}

function readAdvanced(spec: FieldReader, findings: Findings): FieldReader {
  const advanced = spec.inner("advanced");
  advanced.onlyKnown(
    ["horizontalPodAutoscalerConfig", "restoreToOriginalReplicaCount", "scalingModifiers"],
    "advanced",
  );
  const hpa = advanced.inner("horizontalPodAutoscalerConfig");
  hpa.onlyKnown(["behavior", "name"], "horizontalPodAutoscalerConfig");
  const name = hpa.text("name");
  if (name !== undefined && name !== "")
    findings.note({
      path: hpa.at("name"),
      value: name,
      message:
        "is left out: the WorkloadAutoscaler has the ScaledObject's name and no HorizontalPodAutoscaler",
      remedy: "correct alerts and dashboards that use it",
    });
  if (advanced.flag("restoreToOriginalReplicaCount") === true)
    findings.note({
      path: advanced.at("restoreToOriginalReplicaCount"),
      value: true,
      message: "is left out: deleting a WorkloadAutoscaler keeps the replicas",
      remedy: "set it to false before you delete the ScaledObject, which otherwise changes the replicas",
    });
  return advanced;
}

/** What is paused stays so, until the object is changed. */
function modeOf({ isPaused }: KedaSwitches, { mode }: ConvertSettings): Fields {
  if (isPaused) return { mode: "Paused", pause: { reason: "paused by an annotation of KEDA" } };
  return mode === undefined ? {} : { mode };
}

function check(written: Fields, { schedules }: Composed, findings: Findings): void {
  for (const problem of checkedSpec(written)) findings.problem(ofKeda(problem));
  const { minReplicas, maxReplicas } = written as { minReplicas: number; maxReplicas: number };
  const read = readSchedules(schedules, { zone: zoneOffset, bounds: { minReplicas, maxReplicas } });
  for (const { path, value, message, remedy } of read.problems) {
    const shown = value === undefined ? {} : { value };
    findings.problem({ path: "spec.triggers", ...shown, message: `schedules${path} ${message}`, remedy });
  }
  const metrics = (written["metrics"] ?? []) as readonly { external?: { metric: { name: string } } }[];
  if (metrics.some(({ external }) => (external?.metric.name.length ?? 0) > maxMetricName))
    findings.problem({
      path: "metadata.name",
      message: `results in a metric name of more than ${maxMetricName} characters`,
      remedy: "use a shorter one",
    });
}

/** Where the fields of a checked specification come from. */
function ofKeda<F extends { readonly path: string }>(problem: F): F {
  const path = problem.path
    .replace(/^spec\.behavior/, "spec.advanced.horizontalPodAutoscalerConfig.behavior")
    .replace(/^spec\.minReplicas/, "spec.minReplicaCount")
    .replace(/^spec\.maxReplicas/, "spec.maxReplicaCount")
    .replace(/^spec\.metrics.*/, "spec.triggers");
  return { ...problem, path };
}

/** The queries become MetricRules, where a missing series is never 0. */
function withoutNulls(trigger: Trigger, findings: Findings): Trigger {
  if (trigger.kind !== "prometheus" || !trigger.ignoresNull) return trigger;
  findings.note({
    path: `${triggerPath(trigger.index)}.metadata.ignoreNullValues`,
    message:
      "is true: KEDA takes an empty result, NaN, and infinity for 0. Here the metric fails, and replicas are not lowered",
    remedy: 'end the query with "or vector(0)" if an empty result means 0',
  });
  return { ...trigger, ignoresNull: false };
}
