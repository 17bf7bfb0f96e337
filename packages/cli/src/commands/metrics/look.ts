// Looks at a workload and at what is in front of it: Services, Ingresses, HTTPRoutes, and who serves them.
import { compareText } from "@plimsoll/core/internal/values";
import { labelSelector } from "@plimsoll/core/selector";
import { ApiError } from "@plimsoll/kube";
import type { Labels } from "@plimsoll/prometheus";
import type { Cluster } from "../../cluster/cluster.ts";
import { listObjects } from "../../objects/list.ts";
import { typedName } from "../../objects/scaling-object.ts";
import { CliError } from "../../seams.ts";
import { type Front, gateway, ingressFront, networking, routeFront } from "./fronts.ts";
import { type Reader, services, type Wire } from "./reader.ts";

/** The workload, and what leads to it. */
export interface Surroundings {
  readonly workload: Workload;
  /** Names of its Services. */
  readonly services: readonly string[];
  readonly fronts: readonly Front[];
  /** Names of the InferencePools of its pods. */
  readonly pools: readonly string[];
  /** What scales the workload already, such as "hpa/web". */
  readonly scalers: readonly string[];
  /** What is missing, in sentences. */
  readonly notes: readonly string[];
}

export interface Workload {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly replicas: number;
  readonly selector: string;
}

const apps = (resource: string) => ({ group: "apps", version: "v1", resource });
const inferencePools = { group: "inference.networking.k8s.io", version: "v1", resource: "inferencepools" };

const kinds = [
  ["Deployment", apps("deployments")],
  ["StatefulSet", apps("statefulsets")],
] as const;

type WorkloadWire = Wire & { readonly kind: string };

interface Listed {
  readonly workloads: readonly WorkloadWire[];
  readonly services: readonly Wire[];
  readonly ingresses: readonly Wire[];
  readonly routes: readonly Wire[];
  readonly pools: readonly Wire[];
}

/**
 * @param choose One of several workloads.
 * @throws CliError where there is no such object, or nothing that can be scaled
 */
export async function lookAround(
  cluster: Cluster,
  object: string | undefined,
  reader: Reader,
  choose: (names: readonly string[]) => Promise<number>,
): Promise<Surroundings> {
  const listed = await listAll(cluster, reader);
  const { front, candidates } = candidatesFor(object, listed, cluster.namespace);
  const titles = candidates.map((one) => `${one.kind} ${one.metadata.name}`);
  const chosen = candidates.length > 1 ? await choose(titles) : 0;
  const workload = candidates[chosen];
  if (workload === undefined)
    throw new CliError([nothingToScale(object, cluster.namespace, front), ...reader.notes].join("; "));
  const labels = workload.spec?.template?.metadata?.labels ?? {};
  const names = (all: readonly Wire[]) => all.map(({ metadata }) => metadata.name);
  const own = names(listed.services.filter(({ spec }) => selects(spec?.selector, labels)));
  const pools = names(listed.pools.filter(({ spec }) => selects(spec?.selector?.matchLabels, labels)));
  const leads = (one: Wire) =>
    front === undefined ? own.some((service) => isBackend(one, service, cluster.namespace)) : one === front;
  const fronts = await Promise.all([
    ...listed.ingresses.filter(leads).map((one) => ingressFront(one, reader)),
    ...listed.routes.filter(leads).map((one) => routeFront(one, cluster.namespace, reader)),
  ]);
  const scalers = await scalersOf(cluster, workload);
  const notes =
    own.length > 0 ? [] : [`no Service selects the pods of ${workload.kind} ${workload.metadata.name}`];
  return { workload: workloadOf(workload), services: own, fronts, pools, scalers, notes };
}

async function listAll({ mapper }: Cluster, reader: Reader): Promise<Listed> {
  const listServed = async (resource: typeof inferencePools) =>
    (await mapper.groupVersions(resource.group)).includes(resource.version) ? reader.list(resource) : [];
  const [workloads, all = [], ingresses = [], routes = [], pools = []] = await Promise.all([
    Promise.all(
      kinds.map(
        async ([kind, resource]) => (await reader.list(resource))?.map((one) => ({ ...one, kind })) ?? [],
      ),
    ),
    reader.list(services),
    reader.list(networking("ingresses")),
    listServed(gateway("httproutes")),
    listServed(inferencePools),
  ]);
  const byName = (a: Wire, b: Wire) => compareText(a.metadata.name, b.metadata.name);
  return { workloads: workloads.flat().toSorted(byName), services: all, ingresses, routes, pools };
}

/** The workloads that an argument may mean, and the Ingress or HTTPRoute that it names. */
function candidatesFor(object: string | undefined, listed: Listed, namespace: string) {
  const [kind = "", name] = object?.includes("/") === true ? object.split("/") : ["", object];
  const front = frontNamed(kind, name ?? "", listed, namespace);
  const candidates =
    front === undefined
      ? listed.workloads.filter((one) => isNamed(one, kind, name))
      : behind(front, listed, namespace);
  return { front, candidates };
}

async function scalersOf(
  { client, namespace }: Cluster,
  { kind, metadata }: WorkloadWire,
): Promise<readonly string[]> {
  try {
    const all = await listObjects(client, { namespace, onRefused: () => undefined });
    return all
      .filter(({ identity: { target } }) => target.kind === kind && target.name === metadata.name)
      .map(typedName);
  } catch (error) {
    if (error instanceof ApiError && error.code === 403) return [];
    throw error;
  }
}

function workloadOf({ kind, metadata, spec }: WorkloadWire): Workload {
  const { matchLabels, matchExpressions } = spec?.selector ?? {};
  const selector = labelSelector({ matchLabels, matchExpressions }).toString();
  const replicas = spec?.replicas ?? 1;
  return { apiVersion: "apps/v1", kind, name: metadata.name, replicas, selector };
}

const frontKinds: ReadonlyMap<string, "ingresses" | "routes"> = new Map([
  ["ingress", "ingresses"],
  ["ingresses", "ingresses"],
  ["ing", "ingresses"],
  ["httproute", "routes"],
  ["httproutes", "routes"],
]);

function frontNamed(kind: string, name: string, listed: Listed, namespace: string): Wire | undefined {
  const which = frontKinds.get(kind.toLowerCase());
  if (which === undefined) return undefined;
  const found = listed[which].find(({ metadata }) => metadata.name === name);
  if (found !== undefined) return found;
  throw new CliError(
    `no ${which === "ingresses" ? "Ingress" : "HTTPRoute"} "${name}" in namespace "${namespace}"`,
  );
}

function isNamed({ metadata, kind }: WorkloadWire, wanted: string, name: string | undefined): boolean {
  const singular = wanted.toLowerCase().replace(/s$/, "");
  const short: Readonly<Record<string, string>> = { deploy: "deployment", sts: "statefulset" };
  const isKind = singular === "" || kind.toLowerCase() === (short[wanted.toLowerCase()] ?? singular);
  return isKind && (name === undefined || metadata.name === name);
}

function behind(front: Wire, listed: Listed, namespace: string): readonly WorkloadWire[] {
  const selectors = listed.services
    .filter(({ metadata }) => isBackend(front, metadata.name, namespace))
    .map(({ spec }) => spec?.selector);
  return listed.workloads.filter(({ spec }) =>
    selectors.some((selector) => selects(selector, spec?.template?.metadata?.labels ?? {})),
  );
}

function nothingToScale(object: string | undefined, namespace: string, front: Wire | undefined): string {
  if (front !== undefined)
    return `${object ?? ""} leads to no Deployment or StatefulSet in namespace "${namespace}": check the selectors of its Services`;
  const what = object === undefined ? "Deployment or StatefulSet" : `Deployment or StatefulSet "${object}"`;
  return `no ${what} in namespace "${namespace}": list them with kubectl get deployments,statefulsets -A, then add -n NAMESPACE`;
}

function selects(selector: Labels | undefined, labels: Labels): boolean {
  const entries = Object.entries(selector ?? {});
  return entries.length > 0 && entries.every(([key, value]) => labels[key] === value);
}

/** Whether a Service of this name and namespace is anywhere among the backends. */
export function isBackend({ spec }: Wire, service: string, namespace: string): boolean {
  const names = (value: unknown): readonly string[] => {
    if (typeof value !== "object" || value === null) return [];
    if (Array.isArray(value)) return value.flatMap(names);
    const own = value as Readonly<Record<string, unknown>>;
    return Object.entries(own).flatMap(([key, inner]) => {
      if (key === "parentRefs") return [];
      if (key === "service") return typeof inner === "object" ? serviceIn(inner, namespace) : [];
      if (key === "backendRefs" && Array.isArray(inner))
        return inner.flatMap((one) => serviceIn(one, namespace));
      return names(inner);
    });
  };
  return names(spec).includes(service);
}

function serviceIn(value: unknown, here: string): readonly string[] {
  const { name, kind = "Service", namespace = here } = (value ?? {}) as Readonly<Record<string, unknown>>;
  return typeof name === "string" && kind === "Service" && namespace === here ? [name] : [];
}
