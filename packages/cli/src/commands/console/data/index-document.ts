// What this server has, for the page's first look.
import type { Clock } from "@plimsoll/component-base";
import type { ConsoleIndex } from "@plimsoll/decisions";
import { type KubeObject, readList } from "@plimsoll/kube";
import type { Cluster } from "../../../cluster/cluster.ts";
import { isClusterError } from "../../../cluster/error-text.ts";
import { createKeptValues } from "./kept-value.ts";
import { periodMs } from "./recomputed.ts";
import type { DecisionData } from "./source.ts";

export interface IndexDeps {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly decisions: () => Promise<DecisionData>;
  readonly hasHistory: boolean;
  readonly version: string;
}

const keepMs = 60_000;
const maxNamespaces = 2_000;

export function createIndex(deps: IndexDeps): () => Promise<ConsoleIndex> {
  const { cluster, clock, hasHistory, version } = deps;
  const kept = createKeptValues<readonly string[] | undefined>(clock, { keepMs, idleShare: 4, max: 1 });
  const { name: context } = cluster.access.context;
  return async () => {
    const [decisions, namespaces] = await Promise.all([
      deps.decisions(),
      kept.get("", () => namespacesOf(cluster)),
    ]);
    return {
      schema: "plimsoll/console/v1",
      version,
      ...(context === undefined ? {} : { context }),
      source: decisions.source,
      via: decisions.via,
      periodMs,
      ...(namespaces === undefined ? {} : { namespaces }),
      namespace: cluster.namespace,
      parts: {
        stream:
          decisions.subscribe === undefined
            ? { ok: false, reason: "Recomputed decisions are read every 15 s." }
            : { ok: true },
        records: decisions.records,
        shadow: decisions.shadowPart,
        findings: { ok: true },
        history: hasHistory
          ? { ok: true }
          : {
              ok: false,
              reason: "Longer histories come from Prometheus: plimsoll console --prometheus-url URL.",
            },
      },
    };
  };
}

/** Undefined: the user may not list them. */
async function namespacesOf({ client }: Cluster): Promise<readonly string[] | undefined> {
  try {
    const items = await readList<KubeObject>(client, "/api/v1/namespaces");
    return items
      .map(({ metadata }) => metadata.name)
      .toSorted()
      .slice(0, maxNamespaces);
  } catch (error) {
    if (!isClusterError(error)) throw error;
    return undefined;
  }
}
