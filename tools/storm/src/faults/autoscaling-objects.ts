// The autoscaling objects of a setup, which events act on.
import { crowdNamespace } from "../objects/crowd.ts";
import type { Random } from "../random/random.ts";
import type { PlannedEvent, Setup, SetupObject } from "../scenario/scenario.ts";
import { textOf } from "./details.ts";

const collections: Readonly<Record<string, string>> = {
  HorizontalPodAutoscaler: "apis/autoscaling/v2/horizontalpodautoscalers",
  WorkloadAutoscaler: "apis/autoscaling.plimsoll.dev/v1alpha1/workloadautoscalers",
  CronHorizontalPodAutoscaler: "apis/autoscaling.alibabacloud.com/v1beta1/cronhorizontalpodautoscalers",
  MetricRule: "apis/autoscaling.plimsoll.dev/v1alpha1/metricrules",
};

/** One of these kinds; undefined where there is none. */
export function drawObject(
  random: Random,
  setup: Setup,
  kinds = Object.keys(collections).filter((kind) => kind !== "MetricRule"),
): SetupObject | undefined {
  const [first, ...rest] = setup.objects.filter(
    ({ kind, metadata }) => kinds.includes(kind) && metadata.namespace !== crowdNamespace,
  );
  return first === undefined ? undefined : random.pick([first, ...rest]);
}

/** Names an object in the details of an event. */
export function detailsOf({ kind, metadata }: SetupObject): Readonly<Record<string, string>> {
  return { object: kind, namespace: metadata.namespace ?? "default", name: metadata.name };
}

/** Where the object of an event is. */
export function pathOf(event: PlannedEvent): string {
  const collection = collections[textOf(event, "object")] ?? "";
  const at = collection.lastIndexOf("/");
  const [root, plural] = [collection.slice(0, at), collection.slice(at + 1)];
  return `/${root}/namespaces/${textOf(event, "namespace")}/${plural}/${textOf(event, "name")}`;
}

/** The resource of the object of an event, as paths name it. */
export function pluralOf(event: PlannedEvent): string {
  return collections[textOf(event, "object")]?.split("/").at(-1) ?? "";
}
