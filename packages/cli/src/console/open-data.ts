// Opens what the console reads: decisions by any way, findings, and the history in Prometheus.
import { clockOf } from "../clock-of.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { endpointFor, openDecisions } from "../decisions/open.ts";
import type { CliSeams } from "../seams.ts";
import { findingsData } from "./data/findings.ts";
import { openHistory } from "./data/history.ts";
import { createIndex } from "./data/index-document.ts";
import { recomputedData } from "./data/recomputed.ts";
import { recordedData } from "./data/recorded.ts";
import type { ConsoleFlags } from "./flags.ts";
import type { Routes } from "./server/routes.ts";

export type ConsoleData = Pick<Routes, "decisions" | "findings" | "history" | "index">;

/** Its connections end with those of the cluster. @throws CliError */
export async function openData(cluster: Cluster, flags: ConsoleFlags, seams: CliSeams): Promise<ConsoleData> {
  const { prometheusUrl } = flags;
  const clock = clockOf(seams);
  const history = prometheusUrl === undefined ? undefined : openHistory(prometheusUrl);
  if (history !== undefined) cluster.closeWith(history.close);
  const { recomputing, recorded } = await openDecisions(cluster, flags, { seams, overrides: {} });
  const opened = await endpointFor({ cluster, flags, seams });
  const reason = opened.ok
    ? "the autoscaler has no decision about it"
    : `recomputed from live data: ${opened.reason}`;
  const again = recomputedData({ cluster, clock, recomputing, reason });
  const decisions = opened.ok ? recordedData(opened.endpoint, again) : again;
  const hasHistory = history !== undefined;
  return {
    decisions,
    findings: findingsData({ cluster, clock, recorded, prometheusUrl, seams }),
    history: history?.data,
    index: createIndex({ cluster, clock, decisions, hasHistory, version: seams.version }),
  };
}
