// Traces a metric through the rules of a file, against a Prometheus.
import { messageOf } from "@plimsoll/component-base";
import { ApiError, type KubeClient } from "@plimsoll/kube";
import {
  type CompiledRules,
  canonicalResource,
  createBuiltinMapper,
  formatProblem,
  type MetricRequest,
  type MetricTrace,
  type ResourceMapper,
  traceMetric,
} from "@plimsoll/rules";
import { openCluster, openPrometheus, type PrometheusFlags } from "../../../cluster/connect.ts";
import { openServers } from "../../../cluster/sources.ts";
import { readRulesFile } from "../../../input/read-rules.ts";
import { CliError } from "../../../seams.ts";
import { readMaxAge } from "../check.ts";

export interface QueryRequest extends PrometheusFlags {
  readonly metric: string;
  readonly namespace: string;
  /** "external": an external metric; undefined: of pods, and external. */
  readonly resource: string | undefined;
  readonly name: string;
  readonly file: string;
  readonly against: string | undefined;
  readonly sourcesConfig?: string;
  readonly kubeconfig: string | undefined;
  readonly maxAge: string;
}

export interface QueryReport extends MetricTrace {
  readonly metric: string;
  /** What the cluster's own adapter serves; undefined where no cluster was asked. */
  readonly cluster: ClusterResult | undefined;
  readonly notes: readonly string[];
}

export interface ClusterResult {
  readonly status: number;
  readonly items: number;
  readonly message?: string;
}

/** @throws CliError */
export async function queryMetric(query: QueryRequest): Promise<QueryReport> {
  const { seams, file, kubeconfig } = query;
  const maxAgeMs = readMaxAge(query.maxAge);
  const rules = await readRulesFile(file, seams);
  const cluster = kubeconfig === undefined ? undefined : await openCluster(kubeconfig, seams);
  const builtin = createBuiltinMapper(rules);
  const mapper = cluster?.mapper ?? builtin;
  const { against, sourcesConfig } = query;
  const open = against === undefined ? undefined : () => openPrometheus(against, query);
  const servers = await openServers({ sourcesConfig, open, seams });
  try {
    const [problem] = servers.check(rules);
    if (problem !== undefined) throw new CliError(formatProblem(file, problem));
    const { signal } = seams;
    const requests = await requestsOf(query, rules, mapper);
    const options = { mapper, atMs: seams.nowMs(), maxAgeMs, signal };
    const traced = await servers.each(rules, async (part, prometheus) => {
      const found: Traced[] = [];
      for (const request of requests)
        found.push({ request, trace: await traceMetric({ ...options, rules: part, prometheus }, request) });
      return found;
    });
    // By request, in the order of these.
    const all = requests.flatMap((one) => traced.flat().filter(({ request }) => request === one));
    const shown = shownOf(all);
    const request = shown?.request;
    const asked = cluster && request && (await fromCluster(cluster.client, request));
    const notes =
      cluster === undefined && builtin.assumed.length > 0
        ? [`taken for resources in namespaces, since only the cluster knows: ${builtin.assumed.join(", ")}`]
        : [];
    return { metric: query.metric, ...merged(all, shown), cluster: asked, notes };
  } finally {
    await Promise.allSettled([servers.close(), cluster?.close()]);
  }
}

async function requestsOf(
  { metric, namespace, resource, name }: QueryRequest,
  rules: CompiledRules,
  mapper: ResourceMapper,
): Promise<readonly MetricRequest[]> {
  const external: MetricRequest = { metric, namespace, resource: undefined, name: "*", selector: [] };
  if (resource === "external") return [external];
  const found = await canonicalResource(resource ?? "pods", mapper);
  if (found === undefined) {
    throw new CliError(
      `--resource ${resource ?? "pods"}: there is no such resource; write such as pods, services or deployments.apps, or external`,
    );
  }
  const isNamespace = found.resource === "namespaces";
  const custom: MetricRequest = {
    metric,
    namespace: found.namespaced ? namespace : undefined,
    resource: found.resource,
    name: isNamespace ? namespace : name,
    selector: [],
  };
  return resource === undefined && rules.external.length > 0 ? [custom, external] : [custom];
}

interface Traced {
  readonly request: MetricRequest;
  /** By the rules of one server. */
  readonly trace: MetricTrace;
}

/** That of the first request with a rule for the metric; of several servers, the one with the later rule serves it. */
function shownOf(all: readonly Traced[]): Traced | undefined {
  const known = all.find(({ trace }) => trace.candidates.length > 0);
  const same = all.filter(({ request }) => request === known?.request);
  return same.toSorted((one, other) => lastRule(other.trace) - lastRule(one.trace))[0] ?? all[0];
}

/** The place in the file of the last rule that may serve it. */
function lastRule({ candidates }: MetricTrace): number {
  const places = candidates
    .filter(({ kind, resourceLabel }) => kind === "external" || resourceLabel !== undefined)
    .map(placeOf);
  return Math.max(-1, ...places);
}

function placeOf({ rule }: { readonly rule: string }): number {
  return Number(/\d+/.exec(rule)?.[0] ?? 0);
}

function merged(all: readonly Traced[], shown: Traced | undefined): MetricTrace {
  const inOrder = <T extends { readonly rule: string }>(
    of: (trace: MetricTrace) => readonly T[],
  ): readonly T[] =>
    [...new Set(all.map(({ request }) => request))].flatMap((one) =>
      all
        .filter(({ request }) => request === one)
        .flatMap(({ trace }) => of(trace))
        .toSorted((a, b) => placeOf(a) - placeOf(b)),
    );
  const served = shown?.trace.served ?? { ok: false, status: 404, message: "there are no rules" };
  return {
    candidates: inOrder(({ candidates }) => candidates),
    others: inOrder(({ others }) => others),
    served,
  };
}

/** What the adapter of the cluster serves for the same request. */
async function fromCluster(client: KubeClient, request: MetricRequest): Promise<ClusterResult> {
  try {
    const list = await client.request<{ readonly items?: readonly unknown[] | null }>({
      path: pathOf(request),
    });
    return { status: 200, items: list.items?.length ?? 0 };
  } catch (error) {
    const status = error instanceof ApiError ? error.code : 0;
    return { status, items: 0, message: messageOf(error) };
  }
}

function pathOf({ resource, namespace, name, metric }: MetricRequest): string {
  const inNamespace = namespace === undefined ? "" : `namespaces/${encodeURIComponent(namespace)}/`;
  if (resource === undefined) {
    return `/apis/external.metrics.k8s.io/v1beta1/${inNamespace}${encodeURIComponent(metric)}`;
  }
  const objects =
    resource === "namespaces"
      ? `namespaces/${encodeURIComponent(name)}/metrics`
      : `${inNamespace}${resource}/${encodeURIComponent(name)}`;
  return `/apis/custom.metrics.k8s.io/v1beta2/${objects}/${encodeURIComponent(metric)}`;
}
