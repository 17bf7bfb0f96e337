// Evaluates the rendered query of a rule.
import { type InstantResult, labelOf } from "@plimsoll/prometheus";
import { labelProblem } from "./match.ts";
import { planQuery, type QueryRequest } from "./plan.ts";
import { quantityOf } from "./value.ts";

/** Runs PromQL at one instant. A rejection is a problem of the evaluation. */
export type RunQuery = (promql: string) => Promise<InstantResult>;

/** What a rule's query gives for a request. */
export interface Evaluation {
  /** "" where the rule gives no query for the request. */
  readonly promql: string;
  /** All samples of the result; a scalar is one without labels. */
  readonly samples: readonly EvaluatedSample[];
  /** Why a client would get no value; undefined when it would. */
  readonly problem: string | undefined;
}

/** A sample of a result, with its value as a client gets it. */
export interface EvaluatedSample {
  readonly labels: Readonly<Record<string, string>>;
  /** Canonical quantity; undefined where the number cannot be served: NaN and ±Inf. */
  readonly value: string | undefined;
}

/** Evaluates a rule's query as a client's request would. Never rejects: failures are part of the evaluation. */
export async function evaluateQuery(request: QueryRequest, run: RunQuery): Promise<Evaluation> {
  const planned = planQuery(request);
  if (!planned.ok) return { promql: "", samples: [], problem: planned.message };
  const { promql } = planned.plan;
  try {
    const result = await run(promql);
    const samples = samplesOf(result);
    if (samples === undefined) return { promql, samples: [], problem: `the query returned a ${result.type}` };
    if (result.type !== "scalar") return { promql, samples, problem: problemOf(request, samples) };
    const isOfObject = request.objectLabel !== undefined;
    const problem = isOfObject ? "the query returned a scalar, not a value for each object" : undefined;
    return { promql, samples, problem };
  } catch (error) {
    return { promql, samples: [], problem: error instanceof Error ? error.message : String(error) };
  }
}

function samplesOf(result: InstantResult): readonly EvaluatedSample[] | undefined {
  if (result.type === "scalar") return [{ labels: {}, value: quantityOf(result.value) }];
  if (result.type !== "vector") return undefined;
  return result.samples.map(({ labels, value }) => ({ labels, value: quantityOf(value) }));
}

/** Samples without the label are of no object, such as that of "or vector(0)". */
function isDoubled({ objectLabel, names }: QueryRequest, samples: readonly EvaluatedSample[]): boolean {
  if (names === undefined || names === "any") return false;
  const own = samples.filter(
    ({ labels }) => objectLabel === undefined || names.includes(labelOf(labels, objectLabel) ?? ""),
  );
  return own.length > 1;
}

function problemOf(request: QueryRequest, samples: readonly EvaluatedSample[]): string | undefined {
  const { objectLabel } = request;
  if (samples.length === 0) return "the query returned nothing";
  const unlabeled =
    objectLabel === undefined ? undefined : labelProblem(samples, objectLabel, request.template);
  if (unlabeled !== undefined) return unlabeled;
  if (isDoubled(request, samples)) return "several series for one object";
  const odd = samples.filter(({ value }) => value === undefined).length;
  if (odd === samples.length) return "no value is a number";
  return odd > 0 && objectLabel === undefined
    ? "a value is not a number, so the metric has no value"
    : undefined;
}
