// The workloads of a setup, which events act on.
import type { Random } from "../random/random.ts";
import type { PlannedEvent, Setup } from "../scenario/scenario.ts";
import { textOf } from "./details.ts";

const plurals: Readonly<Record<string, string>> = {
  Deployment: "deployments",
  StatefulSet: "statefulsets",
};

/** Names one of the workloads; undefined where there is none. */
export function drawWorkload(random: Random, setup: Setup): Readonly<Record<string, string>> | undefined {
  const [first, ...rest] = setup.objects.filter(({ kind }) => kind in plurals);
  if (first === undefined) return undefined;
  const { kind, metadata } = random.pick([first, ...rest]);
  return { workload: kind, namespace: metadata.namespace ?? "default", name: metadata.name };
}

/** Where the workload of an event is. */
export interface WorkloadPlace {
  readonly path: string;
  readonly namespace: string;
  readonly name: string;
  /** As the store names its resource. */
  readonly resource: string;
}

export function workloadOf(event: PlannedEvent): WorkloadPlace {
  const [namespace, name] = [textOf(event, "namespace"), textOf(event, "name")];
  const kind = textOf(event, "workload");
  const path = workloadPath({ kind, namespace, name }) ?? "";
  return { path, namespace, name, resource: `${plurals[kind] ?? ""}.apps` };
}

/** Where a workload is; undefined for what is none. */
export function workloadPath({
  kind,
  namespace,
  name,
}: {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}): string | undefined {
  const plural = plurals[kind];
  return plural === undefined ? undefined : `/apis/apps/v1/namespaces/${namespace}/${plural}/${name}`;
}

/** The pod template with other annotations. */
export function annotatedTemplate(annotations: Readonly<Record<string, string | null>>): object {
  return { spec: { template: { metadata: { annotations } } } };
}
