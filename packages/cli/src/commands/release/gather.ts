// Reads what a plan is made of; nothing is written.
import { metricRuleDefinition, wlaDefinition } from "@plimsoll/core/internal/objects";
import { isNotFound, type KubeObject, readList, readScale, resourcePath } from "@plimsoll/kube";
import {
  type ApiService,
  type CronHpa,
  groupOf,
  type Installed,
  namespaceOf,
  type Program,
  type ServiceName,
  type Successor,
  scaleKey,
  type TargetScale,
} from "@plimsoll/migration/release";
import type { ServedObject } from "@plimsoll/observe";
import type { Cluster } from "../../cluster/cluster.ts";
import { listOf } from "../../objects/list.ts";
import { hpas as hpaResource, wlas as wlaResource } from "../../objects/scaling-object.ts";
import { CliError } from "../../seams.ts";

const partOfLabel = "app.kubernetes.io/part-of";
const partOf = `${partOfLabel}=plimsoll`;
const componentLabel = "app.kubernetes.io/component";
const crdNames = [
  wlaDefinition,
  metricRuleDefinition,
  "cronhorizontalpodautoscalers.autoscaling.alibabacloud.com",
];
const apps = { group: "apps", version: "v1", resource: "deployments" };
const core = { group: "", version: "v1", resource: "services" };
const registrations = { group: "apiregistration.k8s.io", version: "v1", resource: "apiservices" };
const metricRuleResource = {
  group: "autoscaling.plimsoll.dev",
  version: "v1alpha1",
  resource: "metricrules",
};
const cronHpaResource = {
  group: "autoscaling.alibabacloud.com",
  version: "v1beta1",
  resource: "cronhorizontalpodautoscalers",
};

/** `metricsService` is NAMESPACE/NAME of the Service that is to serve metrics. @throws CliError, ApiError, ConnectionError */
export async function readInstalled(
  cluster: Cluster,
  metricsService: string | undefined,
): Promise<Installed> {
  const { client } = cluster;
  const all = { namespace: undefined };
  const [hpas, wlas, cronHpas, deployments, services, apiServices, crds, metricRules] = await Promise.all([
    listOf(client, hpaResource, all),
    listOf(client, wlaResource, all),
    listed<CronHpa>(cluster, cronHpaResource),
    listed<Deployment>(cluster, apps, partOf),
    listed<Service>(cluster, core, partOf),
    listed<ApiService>(cluster, registrations),
    ownDefinitions(cluster),
    listed<KubeObject>(cluster, metricRuleResource),
  ]);
  const wlaObjects = wlas.map(({ object }) => object);
  const cronTargets = cronHpas.flatMap(scaledByJobs);
  return {
    minor: cluster.version.minor,
    hpas: hpas.map(({ object }) => object),
    wlas: wlaObjects,
    cronHpas,
    metricRules,
    ...programsAmong(deployments.flatMap(programOf), {
      apiServices,
      targets: [...[...hpas, ...wlas].map(({ object }) => targetOf(object)), ...cronTargets],
    }),
    services: services.flatMap(serviceOf),
    apiServices,
    successor: await successorOf(cluster, metricsService),
    crds,
    scales: await scalesOf(cluster, [
      ...[...hpas, ...wlas].map(({ object }) => object).map(targetOf),
      ...cronTargets,
    ]),
  };
}

/** Nothing where the kind is not served. */
async function listed<T extends KubeObject>(
  { client }: Cluster,
  resource: typeof apps,
  labelSelector?: string,
): Promise<readonly T[]> {
  try {
    return await readList<T>(client, resourcePath(resource), { labelSelector });
  } catch (error) {
    if (isNotFound(error)) return [];
    throw error;
  }
}

async function ownDefinitions({ client }: Cluster): Promise<readonly string[]> {
  const definitions = {
    group: "apiextensions.k8s.io",
    version: "v1",
    resource: "customresourcedefinitions",
  };
  const found = await Promise.all(
    crdNames.map(async (name) => {
      try {
        await client.request({ path: resourcePath(definitions, undefined, name) });
        return [name];
      } catch (error) {
        if (isNotFound(error)) return [];
        throw error;
      }
    }),
  );
  return found.flat();
}

interface Deployment extends KubeObject {
  readonly spec?: {
    readonly replicas?: number;
    readonly selector?: { readonly matchLabels?: Readonly<Record<string, string>> };
    readonly template?: {
      readonly spec?: {
        readonly containers?: readonly {
          readonly command?: readonly string[];
          readonly args?: readonly string[];
        }[];
      };
    };
  };
}

interface Service extends KubeObject {
  readonly spec?: { readonly ports?: readonly { readonly port: number }[] };
}

function isOurs({ metadata }: KubeObject): boolean {
  return metadata.labels?.[partOfLabel] === "plimsoll";
}

function componentOf({ metadata }: KubeObject): Program["component"] | undefined {
  const component = metadata.labels?.[componentLabel];
  return component === "autoscaler" || component === "metrics-adapter" ? component : undefined;
}

function programOf(deployment: Deployment): readonly Program[] {
  const component = componentOf(deployment);
  if (component === undefined) return [];
  const { spec, metadata } = deployment;
  const containers = spec?.template?.spec?.containers ?? [];
  return [
    {
      component,
      namespace: namespaceOf(deployment),
      name: metadata.name,
      replicas: spec?.replicas ?? 1,
      selector: Object.entries(spec?.selector?.matchLabels ?? { [componentLabel]: component })
        .map((pair) => pair.join("="))
        .join(","),
      args: containers.flatMap(({ command = [], args = [] }) => [...command, ...args]),
      release: releaseOf(deployment),
    },
  ];
}

/**
 * Whoever may create a Deployment may give it our labels. One that an autoscaler scales is a workload, unless it serves an API.
 */
function programsAmong(
  labeled: readonly Program[],
  {
    apiServices,
    targets,
  }: { readonly apiServices: readonly ApiService[]; readonly targets: readonly Target[] },
): Pick<Installed, "programs" | "workloads"> {
  const scaled = new Set(targets.map((one) => scaleKey(one.namespace, one)));
  const serving = new Set(apiServices.map(({ spec }) => spec.service?.namespace));
  const isWorkload = ({ namespace, name }: Program): boolean =>
    scaled.has(scaleKey(namespace, { apiVersion: "apps/v1", kind: "Deployment", name })) &&
    !serving.has(namespace);
  return {
    programs: labeled.filter((one) => !isWorkload(one)),
    workloads: labeled.filter(isWorkload).map(({ namespace, name }) => `${namespace}/${name}`),
  };
}

function serviceOf(service: Service): readonly ServiceName[] {
  const component = componentOf(service);
  if (component === undefined) return [];
  return [{ component, namespace: namespaceOf(service), name: service.metadata.name }];
}

function releaseOf({ metadata }: KubeObject): string | undefined {
  return metadata.annotations?.["meta.helm.sh/release-name"];
}

/** The named Service, or the one that prometheus-adapter's chart labels. */
async function successorOf(cluster: Cluster, text: string | undefined): Promise<Successor | undefined> {
  if (text !== undefined) {
    const [namespace = "", name = "", more] = text.split("/");
    if (namespace === "" || name === "" || more !== undefined)
      throw new CliError(
        `--metrics-service ${text} must be NAMESPACE/NAME, such as monitoring/prometheus-adapter`,
      );
    try {
      const path = resourcePath(core, namespace, name);
      const service = await cluster.client.request<Service>({ path });
      if (isOurs(service))
        throw new CliError(
          `--metrics-service ${text} is a Service of Plimsoll, which will be removed: use the Service that will serve metrics afterwards, or omit the flag to keep metrics-adapter`,
        );
      return asSuccessor(service);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      throw new CliError(
        `--metrics-service ${text}: Service not found; first install the adapter that will serve metrics, or omit the flag to keep metrics-adapter`,
      );
    }
  }
  const named = await listed<Service>(cluster, core, "app.kubernetes.io/name=prometheus-adapter");
  // Our chart has that name where nameOverride says so.
  const found = named.filter((service) => !isOurs(service));
  const [only, other] = found;
  if (only === undefined) return undefined;
  if (other === undefined) return asSuccessor(only);
  const names = found.map((one) => `${namespaceOf(one)}/${one.metadata.name}`);
  throw new CliError(
    `${names.join(" and ")} are Services of prometheus-adapter: choose one with --metrics-service`,
  );
}

function asSuccessor(service: Service): Successor {
  return {
    namespace: namespaceOf(service),
    name: service.metadata.name,
    port: service.spec?.ports?.[0]?.port ?? 443,
    release: releaseOf(service),
  };
}

interface Target {
  readonly namespace: string;
  readonly apiVersion?: string | undefined;
  readonly kind: string;
  readonly name: string;
}

function targetOf(object: ServedObject): Target {
  return { ...object.spec.scaleTargetRef, namespace: namespaceOf(object) };
}

function scaledByJobs(object: CronHpa): readonly Target[] {
  const { kind, name, ...rest } = object.spec?.scaleTargetRef ?? {};
  if (kind === undefined || name === undefined) return [];
  return [{ ...rest, kind, name, namespace: namespaceOf(object) }];
}

/** Requests in flight: a cluster may have thousands of targets. */
const scalesAtOnce = 16;

/** Without those that cannot be read: the plan says so of each. */
async function scalesOf(
  cluster: Cluster,
  targets: readonly Target[],
): Promise<ReadonlyMap<string, TargetScale>> {
  const each = [...new Map(targets.map((one) => [scaleKey(one.namespace, one), one])).values()];
  const scales = new Map<string, TargetScale>();
  for (let start = 0; start < each.length; start += scalesAtOnce) {
    const some = each.slice(start, start + scalesAtOnce);
    const read = await Promise.all(some.map((target) => scaleOf(cluster, target)));
    for (const [index, target] of some.entries()) {
      const scale = read[index];
      if (scale !== undefined) scales.set(scaleKey(target.namespace, target), scale);
    }
  }
  return scales;
}

async function scaleOf(
  { client, mapper }: Cluster,
  { kind, name, namespace, ...rest }: Target,
): Promise<TargetScale | undefined> {
  const [info] = (await mapper.byKind(groupOf(rest), kind)).filter(({ hasScale }) => hasScale);
  if (info === undefined) return undefined;
  try {
    const { spec } = await readScale(client, info, namespace, name);
    const typed = `${info.resource}${info.group === "" ? "" : `.${info.group}`}/${name}`;
    return { replicas: spec.replicas, typed };
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
