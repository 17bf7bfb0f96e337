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
  type Problem,
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
  const { rules, warnings } = await readRulesFile(file, seams);
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
    const traces: MetricTrace[] = [];
    for (const request of requests)
      traces.push(
        combined(
          await servers.each(rules, (part, prometheus) =>
            traceMetric({ ...options, rules: part, prometheus }, request),
          ),
        ),
      );
    const [shown = 0] = [traces.findIndex(({ candidates }) => candidates.length > 0)].filter((n) => n >= 0);
    const request = requests[shown];
    const asked = cluster && request && (await fromCluster(cluster.client, request));
    const notes =
      cluster === undefined && builtin.assumed.length > 0
        ? [
            `assumed to be namespaced resources, because only the cluster knows: ${builtin.assumed.join(", ")}`,
          ]
        : [];
    const trace = merged(traces, shown);
    const doubts = warningsAbout(trace, warnings).map((warning) => formatProblem(file, warning));
    return { metric: query.metric, ...trace, cluster: asked, notes: [...notes, ...doubts] };
  } finally {
    await Promise.allSettled([servers.close(), cluster?.close()]);
  }
}

/** Of rules that give the metric; where there is none, what may keep one from giving it, which no query does. */
function warningsAbout({ candidates }: MetricTrace, warnings: readonly Problem[]): readonly Problem[] {
  return warnings.filter(({ path }) =>
    candidates.length === 0
      ? !/^resourceRules|\.metricsQuery$/.test(path)
      : candidates.some(({ rule }) => path === rule || path.startsWith(`${rule}.`)),
  );
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
      `--resource ${resource ?? "pods"}: there is no such resource; use a value such as pods, services or deployments.apps, or external`,
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

/** Of the rules of several servers the last one in the file serves a metric, as in the adapter. */
function combined(traces: readonly MetricTrace[]): MetricTrace {
  const inOrder = (one: { readonly rule: string }, other: { readonly rule: string }): number =>
    placeOf(one) - placeOf(other);
  const lastRule = ({ candidates }: MetricTrace): number =>
    Math.max(
      -1,
      ...candidates
        .filter(({ kind, resourceLabel }) => kind === "external" || resourceLabel !== undefined)
        .map(placeOf),
    );
  const [last] = traces.toSorted((one, other) => lastRule(other) - lastRule(one));
  return {
    candidates: traces.flatMap(({ candidates }) => candidates).toSorted(inOrder),
    others: traces.flatMap(({ others }) => others).toSorted(inOrder),
    served: last?.served ?? { ok: false, status: 404, message: "there are no rules" },
  };
}

/** Such as 3 of "rules[3]". */
function placeOf({ rule }: { readonly rule: string }): number {
  return Number(/\d+/.exec(rule)?.[0] ?? 0);
}

/** Of the requests of one metric: what is served is that of the first with a rule for it. */
function merged(traces: readonly MetricTrace[], shown: number): MetricTrace {
  const candidates = traces.flatMap((trace) => trace.candidates);
  const others = traces.flatMap((trace) => trace.others);
  return { ...combined(traces.slice(shown, shown + 1)), candidates, others };
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
  if (resource === undefined)
    return `/apis/external.metrics.k8s.io/v1beta1/${inNamespace}${encodeURIComponent(metric)}`;
  const objects =
    resource === "namespaces"
      ? `namespaces/${encodeURIComponent(name)}/metrics`
      : `${inNamespace}${resource}/${encodeURIComponent(name)}`;
  return `/apis/custom.metrics.k8s.io/v1beta2/${objects}/${encodeURIComponent(metric)}`;
}
