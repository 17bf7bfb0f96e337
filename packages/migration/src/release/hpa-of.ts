// The HorizontalPodAutoscaler of a WorkloadAutoscaler: what an HPA can say, and what is lost.
import type { MetricSpec } from "@plimsoll/core";
import { convertHpa } from "@plimsoll/core/api";
import { type Fields, fieldsOf } from "@plimsoll/core/internal/values";
import { asDecided } from "@plimsoll/core/queries";
import type { ServedObject } from "@plimsoll/observe";
import { keptMetadata } from "../convert/hpa/metadata.ts";
import type { Difference } from "./contents.ts";
import { namespaceOf } from "./installed.ts";
import { typedWla, unsaid } from "./lost-fields.ts";

/** What the API server and the built-in controller can do. */
export interface HpaAbilities {
  /** Tolerances of one object: from 1.35 on. */
  readonly hasTolerance: boolean;
  /** Feature gate HPAScaleToZero. */
  readonly hasZero: boolean;
}

export interface Successor {
  /** autoscaling/v2. */
  readonly hpa: Fields;
  readonly differences: readonly Difference[];
}

const ofFlag =
  "--horizontal-pod-autoscaler-tolerance of kube-controller-manager applies: an HPA has the field from Kubernetes 1.35 on";

type Spec = Record<string, unknown>;

/** `name` is that of the HPA. */
export function hpaOf(wla: ServedObject, name: string, abilities: HpaAbilities): Successor {
  const source = fieldsOf(wla.spec);
  const { spec: carried } = convertHpa(
    {
      ...withNamedQueries(wla),
      apiVersion: "autoscaling/v2",
      kind: "HorizontalPodAutoscaler",
      status: undefined,
    },
    "autoscaling/v2",
  ) as unknown as { readonly spec: Fields };
  const spec: Spec = structuredClone(carried);
  const differences: Difference[] = [];
  const differs = (path: string, instead: string): void => {
    differences.push({ object: typedWla(wla), namespace: namespaceOf(wla), path, instead });
  };
  differences.push(...unsaid(wla, carried));
  putTuning(spec, fieldsOf(source["tuning"]), { abilities, differs });
  if (!abilities.hasTolerance) withoutTolerance(spec, differs);
  if (spec["minReplicas"] === 0 && !abilities.hasZero) {
    spec["minReplicas"] = 1;
    differs("spec.minReplicas", "1: without the feature gate HPAScaleToZero an HPA has one replica at least");
  }
  if (name !== wla.metadata.name)
    differs("metadata.name", `"${name}": another HorizontalPodAutoscaler has its name`);
  return {
    hpa: {
      apiVersion: "autoscaling/v2",
      kind: "HorizontalPodAutoscaler",
      metadata: metadataOf(wla, name),
      spec,
    },
    differences,
  };
}

/** An HPA can ask for a query only by the name of a metric, which a MetricRule has to give. */
function withNamedQueries(wla: ServedObject): ServedObject {
  const { metrics } = asDecided(wla).spec;
  const named = (metrics ?? []).map(({ query, ...metric }, index): MetricSpec => {
    const source = metric.pods ?? metric.external;
    if (query === undefined || source === undefined) return metric;
    const named = { ...source, metric: { name: `${wla.metadata.name}-query-${index}` } };
    return metric.pods === undefined ? { ...metric, external: named } : { ...metric, pods: named };
  });
  return metrics === undefined ? wla : { ...wla, spec: { ...wla.spec, metrics: named } };
}

function metadataOf(wla: ServedObject, name: string): Fields {
  const { labels, annotations } = keptMetadata(wla.metadata as unknown as Fields).metadata;
  const others = Object.entries(fieldsOf(annotations)).filter(
    ([key]) => !key.startsWith("autoscaling.plimsoll.dev/"),
  );
  return {
    name,
    namespace: namespaceOf(wla),
    ...(labels === undefined ? {} : { labels }),
    ...(others.length === 0 ? {} : { annotations: Object.fromEntries(others) }),
  };
}

interface Context {
  readonly abilities: HpaAbilities;
  readonly differs: (path: string, instead: string) => void;
}

/** Two of the settings have a field in an HPA; a field that is set already has precedence here, too. */
function putTuning(spec: Spec, tuning: Fields, { abilities, differs }: Context): void {
  const hadBehavior = spec["behavior"] !== undefined && spec["behavior"] !== null;
  const { tolerance, downscaleStabilizationSeconds: window } = tuning;
  let isAdded = false;
  if (tolerance !== undefined && abilities.hasTolerance)
    for (const direction of ["scaleUp", "scaleDown"])
      isAdded = putRule(spec, direction, "tolerance", tolerance) || isAdded;
  if (tolerance !== undefined && !abilities.hasTolerance) differs("spec.tuning.tolerance", ofFlag);
  if (window !== undefined)
    isAdded = putRule(spec, "scaleDown", "stabilizationWindowSeconds", window) || isAdded;
  if (isAdded && !hadBehavior)
    differs(
      "spec.tuning",
      "the values stand in spec.behavior; an HPA with a behavior scales up by 4 pods or 100 % in 15 s, one without to 4 or twice the replicas at each evaluation",
    );
}

function putRule(spec: Spec, direction: string, field: string, value: unknown): boolean {
  const behavior = { ...fieldsOf(spec["behavior"]) };
  const rules = { ...fieldsOf(behavior[direction]) };
  if (rules[field] !== undefined) return false;
  spec["behavior"] = { ...behavior, [direction]: { ...rules, [field]: value } };
  return true;
}

function withoutTolerance(spec: Spec, differs: Context["differs"]): void {
  const behavior = fieldsOf(spec["behavior"]);
  for (const direction of ["scaleUp", "scaleDown"]) {
    const { tolerance, ...rest } = fieldsOf(behavior[direction]);
    if (tolerance === undefined) continue;
    spec["behavior"] = { ...fieldsOf(spec["behavior"]), [direction]: rest };
    differs(`spec.behavior.${direction}.tolerance`, ofFlag);
  }
}
