// Tries the query of a rule, for its status.
import { messageOf } from "@plimsoll/component-base";
import { publicText } from "@plimsoll/core/redact";
import { failureText, labelOf, missingPart, PrometheusError, type VectorSample } from "@plimsoll/prometheus";
import { describeLabels, quantityOf } from "@plimsoll/rules";
import type { CompiledRule } from "../compile/compiled.ts";
import type { RuleServer } from "../serve/serve.ts";

/** What the query of a rule gave. */
export interface RuleCheck {
  readonly isResolved: boolean;
  readonly reason: "Resolved" | "NoSeries" | "NoObjectLabel" | "NoValue" | "QueryFailed";
  readonly message: string;
  readonly atMs: number;
  readonly series?: number;
  readonly sample?: { readonly value: string; readonly atMs: number };
}

type Found = Omit<RuleCheck, "atMs">;

/** Never rejects: what fails is the result. */
export async function checkRule(
  rule: CompiledRule,
  server: Pick<RuleServer, "result">,
  { signal, nowMs }: { readonly signal: AbortSignal; readonly nowMs: () => number },
): Promise<RuleCheck> {
  return { ...(await find(rule, server, signal)), atMs: nowMs() };
}

async function find(
  rule: CompiledRule,
  server: Pick<RuleServer, "result">,
  signal: AbortSignal,
): Promise<Found> {
  try {
    const outcome = await server.result(rule, { signal: () => signal, isCheck: true });
    if (!outcome.ok) return failedWith(outcome.failure.message);
    const { value: result } = outcome;
    const missing = result.missing ?? (result.leftOut === undefined ? undefined : missingPart(result));
    if (missing !== undefined) return failedWith(missing);
    if (result.type === "vector") return fromSamples(rule, result.samples);
    if (result.type === "scalar" && rule.object === undefined)
      return fromSamples(rule, [{ labels: {}, value: result.value, atMs: result.atMs }]);
    const wanted = rule.object === undefined ? "current values" : "one value per object";
    return failedWith(`the query gives a ${result.type}, not ${wanted}: use an instant vector`);
  } catch (error) {
    return failedWith(error instanceof PrometheusError ? failureText(error) : messageOf(error));
  }
}

function failedWith(message: string): Found {
  // The status is read by those who may not know where metrics come from.
  return { isResolved: false, reason: "QueryFailed", message: publicText(message) };
}

function fromSamples({ object, live }: CompiledRule, samples: readonly VectorSample[]): Found {
  const [first] = samples;
  const series = samples.length;
  if (first === undefined) {
    const advice =
      live === undefined
        ? "compare status.query with the series of the namespace"
        : "check that live.podSelector selects pods, and that they serve the metrics of status.query";
    const message = `the query returned no series now: ${advice}`;
    return { isResolved: false, reason: "NoSeries", message, series };
  }
  const usable =
    object === undefined
      ? samples
      : samples.filter(({ labels }) => (labelOf(labels, object.label) ?? "") !== "");
  if (object !== undefined && usable.length === 0) {
    const message = `no series has the label ${JSON.stringify(object.label)} with the name of an object; the first one is ${describeLabels(first.labels)}`;
    return { isResolved: false, reason: "NoObjectLabel", message, series };
  }
  for (const { value: number, atMs } of usable) {
    const value = quantityOf(number);
    if (value === undefined) continue;
    const message = "the query gives values";
    return { isResolved: true, reason: "Resolved", message, series, sample: { value, atMs } };
  }
  return { isResolved: false, reason: "NoValue", message: "no series has a number as its value", series };
}
