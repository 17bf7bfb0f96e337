// How invariants name what is in the store and in requests.
import type { ServerRequest } from "../network/network.ts";

export const hpaResource = "horizontalpodautoscalers.autoscaling";
export const cronHpaResource = "cronhorizontalpodautoscalers.autoscaling.alibabacloud.com";
export const leaseResource = "leases.coordination.k8s.io";

/** The field manager of evaluations; jobs of CronHorizontalPodAutoscalers have one of their own. */
export const evaluationManager = "plimsoll-autoscaler";

/** Whether a writer of the store is one of the autoscalers. */
export function isAutoscaler(writer: string): boolean {
  return writer.startsWith("autoscaler-");
}

/** An object that a request names. */
export interface Named {
  /** As the store names it. */
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
}

const objectPath = /^\/(?:api|apis\/([^/]+))\/[^/]+\/namespaces\/([^/]+)\/([^/]+)\/([^/]+)(?:\/([^/]+))?$/;

/** The object of a path; undefined for a collection and for what is in no namespace. */
export function namedBy(path: string): Named | undefined {
  const found = objectPath.exec(path);
  if (found === null) return undefined;
  const [, group, namespace = "", plural = "", name = "", subresource = ""] = found;
  return { resource: group === undefined ? plural : `${plural}.${group}`, namespace, name, subresource };
}

/** The HPA whose status an autoscaler writes with this request. */
export function hpaOfStatusWrite({ method, path, caller }: ServerRequest): Named | undefined {
  if (method === "GET" || !isAutoscaler(caller)) return undefined;
  const named = namedBy(path);
  return named?.resource === hpaResource && named.subresource === "status" ? named : undefined;
}

/** The replicas of a request that writes a scale. */
export function replicasOf(body: unknown): number {
  return (body as { readonly spec?: { readonly replicas?: number } } | undefined)?.spec?.replicas ?? 0;
}

/** "NAMESPACE/KIND/NAME" of a target. */
export type TargetKey = string;

const kinds: Readonly<Record<string, string>> = {
  "deployments.apps": "Deployment",
  "statefulsets.apps": "StatefulSet",
};

/** The target whose scale a path is. */
export function targetOfPath(path: string): TargetKey | undefined {
  const named = namedBy(path);
  if (named?.subresource !== "scale") return undefined;
  return targetOfObject(named.resource, named.namespace, named.name);
}

/** An object as a target; undefined for what has no replicas. */
export function targetOfObject(resource: string, namespace: string, name: string): TargetKey | undefined {
  const kind = kinds[resource];
  return kind === undefined ? undefined : `${namespace}/${kind}/${name}`;
}

/** How the autoscaler names an object that it evaluates. */
export function keyOfObject(kind: string, namespace: string, name: string): string {
  return `${namespace}/${kind === "WorkloadAutoscaler" ? "wla:" : ""}${name}`;
}
