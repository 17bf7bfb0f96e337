import type { Clock } from "@plimsoll/kube";
import { type InstantResult, PrometheusError } from "@plimsoll/prometheus";
import { byLabel } from "./by-label.ts";
import { createDemand } from "./demand.ts";
import { type Planned, planQuery, type QueryPlan, type QueryRequest, type WideQueryRequest } from "./plan.ts";
import type { RunQuery } from "./runner.ts";
import { createCanWiden } from "./widen.ts";

export type Asked =
  | { readonly ok: true; readonly plan: QueryPlan; readonly result: InstantResult }
  | Extract<Planned, { readonly ok: false }>;

/**
 * Answers a request for objects with the exact query for them, or with one for all objects of their namespace that
 * others use too. The answer may then hold more objects than were asked for. Rejects as RunQuery does.
 * @param part Tells requests for different objects apart: a name or a selector.
 */
export type AskFor = (request: QueryRequest, part: string, signal: AbortSignal) => Promise<Asked>;

export function createAskFor({
  runQuery,
  clock,
}: {
  readonly runQuery: RunQuery;
  readonly clock: Clock;
}): AskFor {
  const canWiden = createCanWiden();
  const demand = createDemand();

  const exactly: AskFor = async (request, _part, signal) => {
    const planned = planQuery(request);
    if (!planned.ok) return planned;
    return { ok: true, plan: planned.plan, result: await runQuery(planned.plan.promql, signal) };
  };

  return async (request, part, signal) => {
    if (request.objects === undefined || !canWiden(request)) return exactly(request, part, signal);
    const { label } = request.objects;
    const planned = planQuery(widened(request, label));
    if (!planned.ok) return planned;
    const { promql } = planned.plan;
    const objects = request.objects.names.length;
    if (!demand.note(promql, { key: part, objects }, clock.nowMs())) return exactly(request, part, signal);
    try {
      const result = await runQuery(promql, signal, "batch");
      if (result.type === "vector") {
        demand.answered(promql, byLabel(result.samples, label).size, clock.nowMs());
      }
      return { ok: true, plan: planned.plan, result };
    } catch (error) {
      if (!(error instanceof PrometheusError)) throw error;
      if (!isTooMuch(error)) throw error;
      demand.failed(promql, clock.nowMs());
      return await exactly(request, part, signal);
    }
  };
}

function widened(request: QueryRequest, label: string): WideQueryRequest {
  return { ...request, objects: { label, names: "any" } };
}

/** What may be wrong with the whole and right with a part of it: its size, or another object's series. */
function isTooMuch({ kind }: PrometheusError): boolean {
  return kind === "execution" || kind === "bad_data" || kind === "too_large" || kind === "timeout";
}
