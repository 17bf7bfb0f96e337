// By which labels the rules for resource metrics find pods and nodes.
import { type Awaitable, allOf, chain } from "@plimsoll/component-base";
import {
  type ClusterResource,
  type CompiledResourceRule,
  createResourceLabels,
  type ResourceMapper,
} from "@plimsoll/rules";
import type { ReadingLabels } from "./usage.ts";

/** The labels that a rule's series have for pods or nodes; undefined where it has none. */
export type ReadLabels = (kind: "pods" | "nodes") => Awaitable<ReadingLabels | undefined>;

interface Known {
  readonly info: ClusterResource;
  readonly namespaces: ClusterResource | undefined;
  readonly labels: ReadingLabels | undefined;
}

/** Computes them once for each state of the cluster's discovery. */
export function createReadLabels(mapper: ResourceMapper, rule: CompiledResourceRule): ReadLabels {
  const known = new Map<string, Known>();
  const compute = async (
    kind: "pods" | "nodes",
    info: ClusterResource,
    namespaces: ClusterResource | undefined,
  ): Promise<ReadingLabels | undefined> => {
    const names = createResourceLabels(rule.resources, mapper);
    const object = await names.labelFor(info);
    const namespace = namespaces === undefined ? undefined : await names.labelFor(namespaces);
    const container = kind === "pods" ? rule.containerLabel : undefined;
    const labels = object === undefined ? undefined : { object, namespace, container };
    known.set(kind, { info, namespaces, labels });
    return labels;
  };
  return (kind) =>
    chain(allOf([mapper.byResource(kind), mapper.byResource("namespaces")]), ([info, namespaces]) => {
      if (info === undefined) return undefined;
      const last = known.get(kind);
      const isKnown = last?.info === info && last.namespaces === namespaces;
      return isKnown ? last.labels : compute(kind, info, namespaces);
    });
}
