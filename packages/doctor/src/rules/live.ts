// The rule about pods that a live query reads.
import type { MetricSamples } from "@plimsoll/core";
import { type Fields, fieldsOf, textOf } from "@plimsoll/core/internal/values";
import { labelSelector, SelectorError } from "@plimsoll/core/selector";
import { type Autoscaler, isResourceMetric, type Metric } from "../evidence/autoscaler.ts";
import { at, labelsOf, listOf, numberOf } from "../evidence/fields.ts";
import { nameOf, namespaceOf, printReference, replicasOf } from "../evidence/meta.ts";
import { runningContainers } from "../evidence/pods.ts";
import { valueOf } from "../evidence/reading.ts";
import { type Found, item, type ObjectContext, objectRule } from "../rule.ts";
import { printSome } from "../text/lists.ts";

type Context = ObjectContext<"target">;

/** What a live query reads must be allowed by the pods. */
function unreadablePods(context: Context): readonly Found[] {
  const { object, readings } = context;
  return object.metrics.flatMap((metric): readonly Found[] => {
    const live = liveOf(object, metric) ?? liveOfRule(context, metric);
    const samples = valueOf(readings.samples)?.[metric.index]?.samples;
    if (live === undefined || hasValues(samples)) return [];
    const mayUseNodes = samples !== undefined && !("error" in samples);
    return problemOf({ name: metric.name, live, mayUseNodes }, podsOf(context, live));
  });
}

function hasValues(samples: MetricSamples | undefined): boolean {
  if (samples === undefined || "error" in samples) return false;
  const values = "pods" in samples ? samples.pods : "values" in samples ? samples.values : [samples];
  return values.length > 0;
}

/** The specifications of the pods; undefined where they are not known. */
interface Pods {
  readonly specs: readonly Fields[];
  readonly from: string;
}

function podsOf({ object, facts, readings }: Context, live: Fields): Pods | undefined {
  const selector = live["podSelector"];
  if (selector === undefined) {
    const template = facts.target.found ? at(facts.target.object, "spec", "template", "spec") : undefined;
    const from = `${printReference(object.target)} .spec.template.spec`;
    return template === undefined ? undefined : { specs: [fieldsOf(template)], from };
  }
  const pods = valueOf(readings.namespacePods);
  try {
    const { matches } = labelSelector(fieldsOf(selector));
    const selected = pods?.filter(
      (pod) => isRunning(pod) && matches(labelsOf(at(pod, "metadata", "labels"))),
    );
    if (selected?.length === 0 && facts.target.found && replicasOf(facts.target.object) === 0)
      return undefined;
    const first = selected?.[0];
    const from =
      first === undefined
        ? `namespace ${object.namespace}`
        : `Pod ${namespaceOf(first)}/${nameOf(first)} .spec`;
    return selected && { specs: selected.map(({ spec }) => fieldsOf(spec)), from };
  } catch (error) {
    if (error instanceof SelectorError) return undefined;
    throw error;
  }
}

/** As the adapter scrapes them. */
function isRunning(pod: Fields): boolean {
  const isOver = ["Succeeded", "Failed"].includes(textOf(at(pod, "status", "phase")));
  return !isOver && at(pod, "metadata", "deletionTimestamp") === undefined;
}

interface Query {
  readonly name: string;
  readonly live: Fields;
  /** The adapter read pods without an error. */
  readonly mayUseNodes: boolean;
}

function problemOf({ name, live, mayUseNodes }: Query, pods: Pods | undefined): readonly Found[] {
  const port = textOf(live["port"]) || numberOf(live["port"]);
  if (port === undefined || pods === undefined) return [];
  const { specs, from } = pods;
  if (specs.length === 0)
    return [
      {
        title: `${name} reads no pod`,
        evidence: [item("live.podSelector", "matches no pod", from)],
        fix: "set live.podSelector to the labels of the pods",
      },
    ];
  if (!mayUseNodes && specs.every(({ hostNetwork }) => hostNetwork === true))
    return [
      {
        title: `${name} reads pods that use the network of their node`,
        evidence: [item("hostNetwork", "is true", from)],
        fix: "remove hostNetwork from the pod template, or start metrics-adapter with --live-host-network",
      },
    ];
  const ports = specs.flatMap(runningContainers).flatMap((container) => listOf(container["ports"]));
  if (ports.some((one) => one["name"] === port || one["containerPort"] === port)) return [];
  const declared = [...new Set(ports.map((one) => textOf(one["name"]) || String(one["containerPort"])))];
  const [first] = declared;
  return [
    {
      title: `${name} reads the port ${port}, which no container declares`,
      evidence: [item("declared ports", declared.length > 0 ? printSome(declared) : "none", from)],
      fix: `declare the port in the pod template${first === undefined ? "" : `, or set live.port to ${first}`}`,
    },
  ];
}

function liveOf({ raw }: Autoscaler, { index }: Metric): Fields | undefined {
  return liveIn(at(listOf(at(raw, "spec", "metrics"))[index], "query"));
}

/** Of the MetricRule that the metric comes from. */
function liveOfRule({ object, readings }: Context, { type, name }: Metric): Fields | undefined {
  const rule = valueOf(readings.metricRules)?.find(
    (one) =>
      namespaceOf(one) === object.namespace &&
      at(one, "spec", "type") === type &&
      (textOf(at(one, "spec", "metric")) || nameOf(one)) === name,
  );
  return liveIn(at(rule, "spec"));
}

function liveIn(source: unknown): Fields | undefined {
  const live = at(source, "live");
  return live === undefined ? undefined : fieldsOf(live);
}

export const livePodsRule = objectRule({
  id: "PL-057",
  severity: "error",
  title: "a live query can't read its pods",
  condition:
    "A live query's podSelector matches no pod, no container declares its port, or its pods use their node's network.",
  fix: "set live.podSelector to the labels of the pods, declare the port in the pod template, and use no hostNetwork",
  isForManifests: true,
  needs: ["target"],
  uses: ["samples", "metricRules", "namespacePods"],
  applies: ({ metrics }) => metrics.some((metric) => !isResourceMetric(metric)),
  check: unreadablePods,
});
