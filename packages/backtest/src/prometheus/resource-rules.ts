// The PromQL of a resource metric, out of the resource rules of the metrics adapter.
import {
  type CompiledResourceRules,
  createResourceLabels,
  planQuery,
  type ResourceMapper,
} from "@plimsoll/rules";
import type { MetricFacts } from "./manifest.ts";
import type { MetricQuery } from "./metric-rules.ts";

/** Usage of pods as metrics.k8s.io of that adapter has it: containers together, or the one that is named. */
export async function resourceQuery(
  rules: CompiledResourceRules,
  mapper: ResourceMapper,
  { facts, namespace }: { readonly facts: MetricFacts; readonly namespace: string },
): Promise<MetricQuery> {
  const { name, container } = facts;
  if (name !== "cpu" && name !== "memory") return { ok: false, why: `no resource rule provides ${name}` };
  const { containerQuery, resources, containerLabel, path } = rules[name];
  if (containerQuery === undefined) return { ok: false, why: `${path} has no query for containers` };
  const labels = createResourceLabels(resources, mapper);
  const labelOf = async (resource: string): Promise<string | undefined> => {
    const info = await mapper.byResource(resource);
    return info === undefined ? undefined : await labels.labelFor(info);
  };
  const [pod, own] = [await labelOf("pods"), await labelOf("namespaces")];
  if (pod === undefined || own === undefined)
    return { ok: false, why: `${path} has no label for pods or for namespaces` };
  const scope = {
    template: containerQuery,
    series: "",
    selector: [],
    namespace: { label: own, name: namespace },
    objectLabel: pod,
    groupBy: [pod, containerLabel],
  };
  const planned = (names: readonly string[]) =>
    planQuery({ ...scope, names: names.length > 0 ? names : "any" });
  const any = planned([]);
  if (!any.ok) return { ok: false, why: any.message };
  const promql = (names: readonly string[]): string => {
    const found = planned(names);
    return together(found.ok ? found.plan.promql : any.plan.promql, { pod, containerLabel, container });
  };
  return { ok: true, promql, podLabel: pod, windowMs: rules.windowMs };
}

/** Containers without a name are sums of others. */
function together(
  promql: string,
  {
    pod,
    containerLabel,
    container,
  }: { readonly pod: string; readonly containerLabel: string; readonly container: string | undefined },
): string {
  if (container === undefined) return `sum by (${pod}) (${promql})`;
  // No function selects series of a result by a label but a join with a series that has it.
  return `sum by (${pod}) ((${promql}) and on (${containerLabel}) label_replace(vector(1), "${containerLabel}", "${container}", "", ""))`;
}
