// The target of an object and its scale: out of a list where that has it, else by requests of their own.
import { messageOf } from "@plimsoll/component-base";
import type { LabelSelector } from "@plimsoll/core";
import { type Fields, nearest } from "@plimsoll/core/internal/values";
import { labelSelector, SelectorError } from "@plimsoll/core/selector";
import {
  type Autoscaler,
  at,
  groupOf,
  known,
  nameOf,
  numberOf,
  type Reading,
  type ScaleFact,
  type TargetFact,
  unknown,
} from "@plimsoll/doctor";
import { isNotFound, type ResourceInfo, readScale, resourcePath } from "@plimsoll/kube";
import type { Cluster } from "../../../cluster/cluster.ts";
import { listedFacts, otherKinds } from "./kinds.ts";
import { type Lists, unreadable } from "./lists.ts";

/** A target with its scale. */
export interface Target {
  readonly target: Reading<TargetFact>;
  readonly scale: Reading<ScaleFact>;
  /** Undefined for a kind that the server does not know. */
  readonly info: ResourceInfo | undefined;
}

/** Workloads whose own fields are what their scale says, with the list that has them. */
const listed = {
  Deployment: listedFacts.deployments,
  StatefulSet: otherKinds.statefulSets,
} as const;

export async function readTarget(cluster: Cluster, lists: Lists, object: Autoscaler): Promise<Target> {
  const { apiVersion, kind } = object.target;
  try {
    const [info] = await cluster.mapper.byKind(groupOf(apiVersion), kind);
    if (info === undefined) return await unknownKind(cluster, object);
    const target = await findTarget(cluster, lists, { object, info });
    return { target, scale: await scaleOf(cluster, target, { object, info }), info };
  } catch (error) {
    const failed = unreadable(cluster, error, "read the target");
    return { target: failed, scale: failed, info: undefined };
  }
}

interface Wanted {
  readonly object: Autoscaler;
  readonly info: ResourceInfo;
}

/** Another group may have the kind, as apps has what extensions had. */
async function unknownKind(
  { mapper }: Cluster,
  { target: { kind, apiVersion } }: Autoscaler,
): Promise<Target> {
  const group = groupOf(apiVersion);
  const other = await mapper.byResource(kind.toLowerCase());
  const candidates =
    other?.kind === kind ? [`${[other.group, other.version].filter(Boolean).join("/")} ${kind}`] : [];
  const message = `no matches for kind "${kind}" in group "${group}"`;
  return {
    target: known({ found: false, message, isUnknownKind: true, candidates }),
    scale: unknown("the target's kind is unknown"),
    info: undefined,
  };
}

async function findTarget(
  cluster: Cluster,
  lists: Lists,
  { object, info }: Wanted,
): Promise<Reading<TargetFact>> {
  const { namespace, target } = object;
  const list = listed[target.kind as keyof typeof listed];
  if (list !== undefined && info.group === list.group) {
    const objects = await lists.list(list, namespace);
    if (objects.ok) return known(inList(objects.value, { object, info }));
  }
  try {
    const path = resourcePath(info, info.namespaced ? namespace : undefined, target.name);
    return known({ found: true, object: await cluster.client.request<Fields>({ path }) });
  } catch (error) {
    if (!isNotFound(error)) return unreadable(cluster, error, `get ${info.resource}`);
    return known({ found: false, message: messageOf(error), isUnknownKind: false, candidates: [] });
  }
}

function inList(objects: readonly Fields[], { object, info }: Wanted): TargetFact {
  const { name, kind } = object.target;
  const found = objects.find((one) => nameOf(one) === name);
  if (found !== undefined) return { found: true, object: found };
  return {
    found: false,
    message: `${info.resource}.${info.group} "${name}" not found`,
    isUnknownKind: false,
    candidates: nearest(name, objects.map(nameOf)).map((near) => `${kind}/${near}`),
  };
}

async function scaleOf(
  cluster: Cluster,
  target: Reading<TargetFact>,
  { object, info }: Wanted,
): Promise<Reading<ScaleFact>> {
  if (target.ok && !target.value.found) return unknown("the target does not exist");
  if (target.ok && target.value.found && info.group === "apps" && info.kind in listed)
    return known(scaleOfWorkload(target.value.object));
  try {
    const { spec, status } = await readScale(cluster.client, info, object.namespace, object.target.name);
    return known({
      found: true,
      specReplicas: spec.replicas,
      statusReplicas: status.replicas,
      selector: status.selector,
    });
  } catch (error) {
    if (!isNotFound(error)) return unreadable(cluster, error, `get ${info.resource}/scale`);
    return known({ found: false, message: messageOf(error) });
  }
}

function scaleOfWorkload(workload: Fields): ScaleFact {
  return {
    found: true,
    specReplicas: numberOf(at(workload, "spec", "replicas")) ?? 1,
    statusReplicas: numberOf(at(workload, "status", "replicas")) ?? 0,
    selector: selectorText(at(workload, "spec", "selector")),
  };
}

function selectorText(selector: unknown): string {
  try {
    return labelSelector(selector as LabelSelector).toString();
  } catch (error) {
    if (error instanceof SelectorError) return "";
    throw error;
  }
}

/** labelSelectorPath of the CustomResourceDefinition; undefined for what has none. */
export async function readSelectorPath(
  cluster: Cluster,
  info: ResourceInfo | undefined,
): Promise<Reading<string | undefined>> {
  if (info === undefined || !info.group.includes(".")) return known(undefined);
  try {
    const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${info.resource}.${info.group}`;
    const definition = await cluster.client.request<Definition>({ path });
    const version = definition.spec?.versions?.find(({ name }) => name === info.version);
    return known(version?.subresources?.scale?.labelSelectorPath ?? "");
  } catch (error) {
    return isNotFound(error) ? known(undefined) : unreadable(cluster, error, "get customresourcedefinitions");
  }
}

interface Definition {
  readonly spec?: {
    readonly versions?: readonly {
      readonly name?: string;
      readonly subresources?: { readonly scale?: { readonly labelSelectorPath?: string } };
    }[];
  };
}
