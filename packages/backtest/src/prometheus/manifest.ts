// The manifest of the autoscaler, as far as its series are compared with it.
import type { HorizontalPodAutoscaler, MetricSpec, MetricTarget } from "@plimsoll/core";
import { approximateFloat, parseQuantity } from "@plimsoll/core/quantity";
import { readAutoscaler } from "@plimsoll/simulator";
import type { RecordedTarget } from "../replay/recording.ts";
import { HistoryError } from "./errors.ts";

/** An autoscaler whose history is read. */
export interface Manifest {
  readonly object: unknown;
  readonly kind: "HorizontalPodAutoscaler" | "WorkloadAutoscaler";
  readonly namespace: string;
  readonly name: string;
  readonly target: RecordedTarget;
  readonly hpa: HorizontalPodAutoscaler;
  readonly metrics: readonly MetricFacts[];
}

/** One of spec.metrics, as series name it. */
export interface MetricFacts {
  readonly index: number;
  readonly spec: MetricSpec;
  readonly name: string;
  /** Of a ContainerResource metric. */
  readonly container: string | undefined;
  /** The words of kube-state-metrics. */
  readonly type: "utilization" | "average" | "value";
  readonly target: number;
}

/** @throws HistoryError when the object is not an autoscaler */
export function readManifest(object: unknown): Manifest {
  const read = readAutoscaler(object);
  if (!read.ok) throw new HistoryError("options", read.message);
  const { hpa } = read.autoscaler;
  const { name = "" } = hpa.metadata ?? {};
  if (name === "") throw new HistoryError("options", "metadata.name is missing: it is needed to find series");
  const { kind, name: targetName } = hpa.spec.scaleTargetRef;
  const { namespace } = read.target;
  return {
    object,
    kind: hpa.kind === "WorkloadAutoscaler" ? "WorkloadAutoscaler" : "HorizontalPodAutoscaler",
    namespace,
    name,
    target: { namespace, kind, name: targetName },
    hpa,
    metrics: (hpa.spec.metrics ?? []).map(factsOf),
  };
}

const types: Readonly<Record<string, MetricFacts["type"]>> = {
  Utilization: "utilization",
  AverageValue: "average",
  Value: "value",
};

function factsOf(spec: MetricSpec, index: number): MetricFacts {
  const usage = spec.resource ?? spec.containerResource;
  const custom = spec.pods ?? spec.object ?? spec.external;
  const target = usage?.target ?? custom?.target;
  return {
    index,
    spec,
    name: usage?.name ?? custom?.metric.name ?? "",
    container: spec.containerResource?.container,
    type: types[target?.type ?? ""] ?? "value",
    target: amountOf(target),
  };
}

function amountOf({ averageUtilization, averageValue, value }: Partial<MetricTarget> = {}): number {
  return averageUtilization ?? approximateFloat(parseQuantity(averageValue ?? value ?? "0"));
}
