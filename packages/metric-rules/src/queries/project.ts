// Cuts a WorkloadAutoscaler down on arrival to its queries, each of them a rule of its namespace.
import { fieldsOf, textOf } from "@plimsoll/core/internal/values";
import { type LiveSource, maxQueries, type QueryEntry, readQueries } from "@plimsoll/core/queries";
import type { KubeObject } from "@plimsoll/kube";
import type { LivePods, ReadSpec, RuleLive, ScaleTarget, WatchedRule } from "../kind/kind.ts";

/** What is kept of an object; of most there is no query. */
export interface WatchedQueriesObject extends KubeObject {
  readonly queries: readonly WatchedRule[];
}

/** Metrics of one object, as in the definition of the kind. */
const maxMetrics = 100;

export function projectQueries(raw: KubeObject): WatchedQueriesObject {
  const { name, namespace, uid, generation, resourceVersion, creationTimestamp } = raw.metadata;
  const own = { ...(namespace === undefined ? {} : { namespace }), ...(uid === undefined ? {} : { uid }) };
  const found = new Map<string, WatchedRule>();
  const target = targetOf(raw);
  for (const entry of entriesOf(raw, name)) {
    const { metric } = entry.query;
    // Two entries that say the same are one query.
    if (found.has(metric)) continue;
    const metadata = {
      name: metric,
      ...own,
      ...(generation === undefined ? {} : { generation }),
      ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
    };
    found.set(metric, { metadata, read: readEntry(entry, target), status: undefined, position: found.size });
  }
  return {
    metadata: { name, ...own, ...(resourceVersion === undefined ? {} : { resourceVersion }) },
    queries: [...found.values()],
  };
}

function entriesOf(raw: KubeObject, name: string): readonly QueryEntry[] {
  const spec: unknown = "spec" in raw ? raw.spec : undefined;
  const metrics: unknown =
    typeof spec === "object" && spec !== null && "metrics" in spec ? spec.metrics : undefined;
  if (!Array.isArray(metrics)) return [];
  return readQueries(name, metrics.slice(0, maxMetrics)).slice(0, maxQueries);
}

/** Positions change while the query stays: they are in no message. */
function readEntry({ index, query, problems }: QueryEntry, target: ScaleTarget): ReadSpec {
  const { promql, source, podLabel, metric } = query;
  if (problems.length > 0) {
    const path = `spec.metrics[${index}].query`;
    const texts = problems.map((problem) => `query${problem.path.slice(path.length)}: ${problem.message}`);
    return { ok: false, problems: texts };
  }
  const live = query.live === undefined ? {} : { live: ruleLive(query.live, target) };
  const common = { metric, source, query: promql, ...live };
  return {
    ok: true,
    spec:
      podLabel === undefined ? { ...common, type: "External" } : { ...common, type: "Pods", label: podLabel },
  };
}

function ruleLive({ podSelector, ...endpoint }: LiveSource, target: ScaleTarget): RuleLive {
  const pods: LivePods =
    podSelector === undefined ? { type: "target", target } : { type: "selector", selector: podSelector };
  return { ...endpoint, pods };
}

function targetOf(raw: KubeObject): ScaleTarget {
  const { scaleTargetRef } = fieldsOf("spec" in raw ? raw.spec : undefined);
  const { apiVersion, kind, name } = fieldsOf(scaleTargetRef);
  const [group = ""] = textOf(apiVersion).includes("/") ? textOf(apiVersion).split("/") : [];
  return { group, kind: textOf(kind).slice(0, 253), name: textOf(name).slice(0, 253) };
}

/**
 * Whether two states of an object have the same queries. Its status is written far more often than they change. Names are
 * not enough: what is wrong with a query may be in a field that is not part of its name, and be corrected.
 */
export function haveSameQueries(before: WatchedQueriesObject, after: WatchedQueriesObject): boolean {
  const [one, other] = [before.queries, after.queries];
  if (one.length !== other.length) return false;
  if (one.length === 0) return true;
  const isSame = ({ metadata, read }: WatchedRule, at: number) => {
    const found = other[at];
    return found?.metadata.name === metadata.name && contentOf(read) === contentOf(found.read);
  };
  return before.metadata.uid === after.metadata.uid && one.every(isSame);
}

function contentOf(read: ReadSpec): string {
  if (!read.ok) return read.problems.join("; ");
  const { query, live } = read.spec;
  return live === undefined ? query : JSON.stringify([query, live]);
}
