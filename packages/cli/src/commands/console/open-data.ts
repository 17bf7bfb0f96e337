// Opens what the console reads: decisions by any way, findings, and the history in Prometheus.
import type { Cluster } from "../../cluster/cluster.ts";
import { createEndpointSource } from "../../decisions/endpoint-source.ts";
import { createRecomputingSource } from "../../decisions/recomputing-source.ts";
import { openEndpoint, probeEndpoint } from "../../endpoint/open.ts";
import { type CliSeams, clockOf } from "../../seams.ts";
import { createDecisionsNow, type DecisionsNow, type Looked } from "./data/decisions-now.ts";
import { findingsData } from "./data/findings.ts";
import { openHistory } from "./data/history.ts";
import { createIndex } from "./data/index-document.ts";
import { recomputedData } from "./data/recomputed.ts";
import { recordedData } from "./data/recorded.ts";
import type { ConsoleFlags } from "./flags.ts";
import type { Routes } from "./server/routes.ts";

export type ConsoleData = Pick<Routes, "decisions" | "findings" | "history" | "index">;

/** Its connections end with those of the cluster. @throws CliError where a way was named and does not work. */
export async function openData(cluster: Cluster, flags: ConsoleFlags, seams: CliSeams): Promise<ConsoleData> {
  const { prometheusUrl } = flags;
  const clock = clockOf(seams);
  const history = prometheusUrl === undefined ? undefined : openHistory(prometheusUrl, seams.env);
  if (history !== undefined) cluster.closeWith(history.close);
  const opening = openNow(cluster, flags, seams);
  // The address does not wait for a look at the cluster, unless flags say what has to be found.
  if (flags.via !== "auto" || flags.server !== undefined || flags.caFile !== undefined) await opening;
  let now: DecisionsNow | undefined;
  const opened = opening.then((value) => (now = value));
  // Requests for decisions report it.
  opened.catch(() => undefined);
  cluster.closeWith(() => opened.then(({ close }) => close()).catch(() => undefined));
  const decisions = async () => (await opened).data();
  const hasHistory = history !== undefined;
  return {
    decisions,
    findings: findingsData({ cluster, clock, recorded: () => now?.recorded(), prometheusUrl, seams }),
    history: history?.data,
    index: createIndex({ cluster, clock, decisions, hasHistory, version: seams.version }),
  };
}

async function openNow(cluster: Cluster, flags: ConsoleFlags, seams: CliSeams): Promise<DecisionsNow> {
  const clock = clockOf(seams);
  const recomputing = createRecomputingSource({ cluster, clock, overrides: {} });
  const again = recomputedData({ cluster, clock, recomputing });
  const look = async (): Promise<Looked> => {
    const closers: (() => Promise<void>)[] = [];
    const closeWith = (close: () => Promise<void>) => void closers.push(close);
    const opened = await openEndpoint({ cluster: { ...cluster, closeWith }, flags, seams });
    if (!opened.ok) return opened;
    const { endpoint } = opened;
    const recorded = {
      data: recordedData(endpoint, again),
      source: createEndpointSource({ endpoint, cluster, recomputing }),
      probe: () => probeEndpoint(endpoint, { cluster, seams }),
      close: async () => void (await Promise.all(closers.map((close) => close()))),
    };
    return { ok: true, recorded };
  };
  const recompute = (reason: string) => ({
    ...again,
    via: `recomputed from live data: ${reason}`,
    shadowPart: { ok: false, reason: `only an autoscaler in shadow compares (${reason})` } as const,
  });
  const first = await look();
  if (!first.ok && flags.via === "auto")
    cluster.note(`no decisions endpoint (${first.reason}); recomputing from live data`);
  // A way that was named is the only one, whatever comes of it.
  const isFixed = flags.via !== "auto";
  return createDecisionsNow(first, { clock, look, recompute, isFixed, onChange: cluster.note });
}
