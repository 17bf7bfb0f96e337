// The catalog of queries that WorkloadAutoscalers bring along.
import { createLogLimiter } from "@plimsoll/component-base";
import { type Catalog, createCatalog } from "../catalog/catalog.ts";
import { createPresence, type RulesPresence } from "../catalog/presence.ts";
import { watchKind } from "../catalog/watched-kind.ts";
import { compileWatched, type WatchedRulesOptions } from "../catalog/watched-rules.ts";
import type { CompileContext } from "../compile/compile-rule.ts";
import type { Decided } from "../compile/compiled.ts";
import { queriesOverLimit } from "../compile/limits.ts";
import type { WatchedRule } from "../kind/kind.ts";
import { haveSameQueries, projectQueries, type WatchedQueriesObject } from "./project.ts";
import { createWaiting } from "./waiting.ts";

/** What queries are watched with, and compiled against: no resource of the cluster, because none is named. */
export type WatchedQueriesOptions = Omit<WatchedRulesOptions, "byResource" | "onDecided">;

/** The queries of the cluster's WorkloadAutoscalers, decided on as MetricRules of their namespaces are. */
export interface WatchedQueries {
  readonly catalog: Pick<Catalog, "decided" | "counts">;
  state(): RulesPresence;
  /**
   * The decision on a query that is asked for right after its object was written: it may take a moment until it is
   * known here. Resolves with undefined when it is unknown in time.
   */
  soon(namespace: string, metric: string, signal: AbortSignal): Promise<Decided | undefined>;
  /** `source` gives others than before: all queries are decided on once more. */
  sourcesChanged(): void;
  start(): void;
  stop(): Promise<void>;
}

const logPauseMs = 600_000;

export function createWatchedQueries(options: WatchedQueriesOptions): WatchedQueries {
  const { clock, log } = options;
  const isDue = createLogLimiter(clock, logPauseMs);
  const { rulesPerNamespace } = options.limits;
  const catalog = createCatalog({
    rulesPerNamespace,
    compile: (rule) => compileQuery(rule, { ...options, resource: () => "unknown" }),
    overLimit: queriesOverLimit(rulesPerNamespace),
  });
  const waiting = createWaiting(clock, catalog.decided);
  const watched = watchKind<WatchedQueriesObject>({
    ...options,
    kind: {
      resource: "workloadautoscalers",
      project: projectQueries,
      rulesOf: ({ queries }) => queries,
      isUnchanged: haveSameQueries,
    },
    presence: createPresence(clock, {
      onFailed(error) {
        if (isDue("failed"))
          log.warn({ err: error }, "cannot watch WorkloadAutoscalers; their queries are not served");
      },
      onMissing() {
        if (isDue("missing"))
          log.info({}, "the cluster has no WorkloadAutoscalers: their definition is not installed");
      },
    }),
    catalog,
    onDecided: waiting.decided,
    onDeleted: () => {},
  });
  return {
    catalog,
    state: watched.state,
    soon: waiting.wait,
    sourcesChanged: watched.compileAll,
    start: watched.start,
    async stop() {
      waiting.stop();
      await watched.stop();
    },
  };
}

/** The fields of a query are not those of a MetricRule. */
export function compileQuery(rule: WatchedRule, context: CompileContext): Decided {
  const decided = compileWatched(rule, context);
  if (decided.type !== "refused") return decided;
  const { reason, message } = decided.refusal;
  const said = message.replace(/^spec\.query: /, "query.promql: ").replace(/^spec\./, "query.");
  return { type: "refused", refusal: { reason, message: said } };
}
