import type { Clock } from "@plimsoll/kube";
import { type InstantResult, labelOf, PrometheusError, type VectorSample } from "@plimsoll/prometheus";
import type { Again } from "../provider/again.ts";
import { byLabel } from "./by-label.ts";
import { createDemand } from "./demand.ts";
import { type Planned, planQuery, type QueryPlan } from "./plan.ts";
import type { Pin, Question, WideQuestion } from "./question.ts";
import type { QueryKind, QueryRunner } from "./runner.ts";

export type Asked =
  | {
      readonly ok: true;
      readonly plan: QueryPlan;
      readonly result: InstantResult;
      /** Whether asking again would give the same. */
      readonly again: Again;
    }
  | Extract<Planned, { readonly ok: false }>;

export interface Part {
  /** Tells requests for different parts of one answer apart: a name or a selector. */
  readonly key: string;
  /** The objects that are asked for, never changed afterwards; undefined where the question is about none. */
  readonly names: readonly string[] | undefined;
  readonly signal: AbortSignal;
}

/**
 * Answers a question with the exact query for it, or with one for all objects (or labels) of the namespace that
 * others use too. The answer may then hold more objects than were asked for. Rejects as QueryRunner does.
 */
export type AskFor = (question: Question, part: Part) => Promise<Asked>;

export function createAskFor({
  queries,
  clock,
}: {
  readonly queries: QueryRunner;
  readonly clock: Clock;
}): AskFor {
  const demand = createDemand();

  const run = async (
    plan: QueryPlan,
    signal: AbortSignal,
    kind: QueryKind,
  ): Promise<Asked & { ok: true }> => {
    const result = await queries.run(plan.promql, signal, kind);
    return { ok: true, plan, result, again: queries.again(result, kind) };
  };

  /** By the list of names, which is the same list for as long as the objects are the same. */
  const plans = new WeakMap<readonly string[], WeakMap<Question, Planned>>();
  const planExactly = (question: Question, names: readonly string[] | undefined): Planned => {
    const known = plans.get(names ?? noNames) ?? new WeakMap<Question, Planned>();
    plans.set(names ?? noNames, known);
    const planned = known.get(question) ?? planQuery({ ...question.request, names });
    known.set(question, planned);
    return planned;
  };

  const exactly = async (question: Question, { names, signal }: Part): Promise<Asked> => {
    const planned = planExactly(question, names);
    return planned.ok ? await run(planned.plan, signal, "own") : planned;
  };

  return async (question, part) => {
    const { wide } = question;
    if (wide === undefined) return exactly(question, part);
    if (!wide.planned.ok) return wide.planned;
    const { promql } = wide.planned.plan;
    const objects =
      part.names?.length ?? wide.pins.reduce((product, { values }) => product * values.length, 1);
    if (!demand.note(promql, { key: part.key, objects }, clock.nowMs())) return exactly(question, part);
    try {
      const asked = await run(wide.planned.plan, part.signal, "batch");
      if (asked.result.type !== "vector") return asked;
      demand.answered(promql, countObjects(asked.result.samples, wide), clock.nowMs());
      return { ...asked, result: pinnedDown(asked.result, wide.pins) };
    } catch (error) {
      if (!(error instanceof PrometheusError) || !isTooMuch(error)) throw error;
      demand.failed(promql, clock.nowMs());
      return await exactly(question, part);
    }
  };
}

/** Stands for a question that is about no objects. */
const noNames: readonly string[] = [];

/** How many parts an answer to a wide question has; of several labels at most one for each sample. */
function countObjects(samples: readonly VectorSample[], { labels }: WideQuestion): number {
  const [label = "", ...others] = labels;
  return others.length === 0 ? byLabel(samples, label).size : samples.length;
}

/** Of an answer for all values of some labels, what is for the wanted ones. */
export function pinnedDown(result: InstantResult, pins: readonly Pin[]): InstantResult {
  const [first, ...others] = pins;
  if (first === undefined || result.type !== "vector") return result;
  const samplesOf = byLabel(result.samples, first.label);
  const samples = [...new Set(first.values)]
    .flatMap((value) => samplesOf.get(value) ?? [])
    .filter(({ labels }) =>
      others.every(({ label, values }) => values.includes(labelOf(labels, label) ?? "")),
    );
  return { ...result, samples };
}

/** What may be wrong with the whole and right with a part of it: its size, or another object's series. */
function isTooMuch({ kind }: PrometheusError): boolean {
  return kind === "execution" || kind === "bad_data" || kind === "too_large" || kind === "timeout";
}
