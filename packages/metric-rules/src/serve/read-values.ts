// Reads values of objects, and values of none, out of the result of a rule's query.
import type { Selector } from "@plimsoll/core/selector";
import {
  cut,
  type InstantResult,
  type Labels,
  labelOf,
  missingPart,
  type VectorSample,
} from "@plimsoll/prometheus";
import { describeLabels, describeSamples, groupResourceOf, matchSamples, quantityOf } from "@plimsoll/rules";
import type { CompiledRule } from "../compile/compiled.ts";
import { titleOf } from "../compile/title.ts";
import { type Failure, failed } from "./outcome.ts";

/** The value of one object. */
export interface ObjectValue {
  readonly name: string;
  /** Canonical quantity. */
  readonly value: string;
  readonly atMs: number;
}

/** A value of no object, with the labels of its series. */
export interface PlainValue {
  readonly labels: Labels | undefined;
  readonly value: string;
  readonly atMs: number;
}

/** Samples that are in no value. */
export interface Dropped {
  readonly notANumber: number;
  readonly otherNamespace: number;
  readonly severalSeries: number;
}

export type Values<V> =
  | { readonly ok: true; readonly values: readonly V[]; readonly dropped: Dropped }
  | Failure;

/** What of a result a request wants. */
export interface WantedObjects {
  readonly names: readonly string[];
  /** One of many may be missing; the only one is an error. */
  readonly isList: boolean;
  readonly selector: Selector;
}

const none: Dropped = { notANumber: 0, otherNamespace: 0, severalSeries: 0 };

/**
 * Only objects that the request is about get a value, whatever names are in the result. Two series for an object are
 * no value, because which is right cannot be known.
 */
export function readObjectValues(
  rule: CompiledRule,
  object: NonNullable<CompiledRule["object"]>,
  result: InstantResult,
  { names, isList, selector }: WantedObjects,
): Values<ObjectValue> {
  const partial = partialData(result, isList);
  if (partial !== undefined) return partial;
  if (result.type !== "vector") return wrongType(rule, result, "one value per object");
  const selected = selectSamples(rule, result.samples, selector);
  if (!selected.ok) return selected;
  const { namespaceLabel, namespace } = rule;
  const { byName, doubled, foreign } = matchSamples({
    samples: selected.samples,
    resourceLabel: object.label,
    names,
    namespace: { label: namespaceLabel, name: namespace },
  });
  const values: ObjectValue[] = [];
  for (const [name, sample] of byName) {
    const value = quantityOf(sample.value);
    if (value !== undefined) values.push({ name, value, atMs: sample.atMs });
  }
  const resource = groupResourceOf(object.info);
  const [double] = doubled;
  if (double !== undefined && values.length === 0) {
    const series = describeSamples(double.samples.slice(0, 2));
    const message = `unable to fetch metrics: the query of the ${titleOf(rule)} gives several series for ${resource} ${double.name}: ${series}`;
    return failed("Internal", message);
  }
  const [name = ""] = names;
  if (!isList && values.length === 0) {
    const sample = byName.get(name);
    const cause =
      sample === undefined
        ? `there is no series with ${object.label}=${JSON.stringify(name)}${labelsOf(result)}`
        : `its value is ${String(sample.value)}`;
    const message = `the server could not find the metric ${rule.metric} for ${resource} ${name}: ${cause}`;
    return failed("ObjectNotFound", message);
  }
  const severalSeries = doubled.reduce((sum, { samples }) => sum + samples.length, 0);
  const dropped = { notANumber: byName.size - values.length, otherNamespace: foreign, severalSeries };
  return { ok: true, values, dropped };
}

/** Which labels there are instead of the wanted one, where the first series shows it. */
function labelsOf(result: InstantResult): string {
  const [first] = result.type === "vector" ? result.samples : [];
  return first === undefined
    ? " (the query returned no series)"
    : ` (a series of the query: ${describeLabels(first.labels)})`;
}

/** Callers add these values up, so that one that is not a number makes all of them unusable. */
export function readPlainValues(
  rule: CompiledRule,
  result: InstantResult,
  selector: Selector,
): Values<PlainValue> {
  const partial = partialData(result, false);
  if (partial !== undefined) return partial;
  if (result.type === "scalar") {
    const refused = selectNothing(rule, selector);
    if (refused !== undefined) return refused;
    const value = quantityOf(result.value);
    if (value === undefined) return notANumber(rule, `its value is ${String(result.value)}`);
    return { ok: true, values: [{ labels: undefined, value, atMs: result.atMs }], dropped: none };
  }
  if (result.type !== "vector") return wrongType(rule, result, "current values");
  const selected = selectSamples(rule, result.samples, selector);
  if (!selected.ok) return selected;
  const values: PlainValue[] = [];
  for (const { labels, value: number, atMs } of selected.samples) {
    const value = quantityOf(number);
    if (value === undefined) return notANumber(rule, `${describeLabels(labels)} is ${String(number)}`);
    if ((labelOf(labels, rule.namespaceLabel) ?? rule.namespace) === rule.namespace)
      values.push({ labels, value, atMs });
  }
  const otherNamespace = selected.samples.length - values.length;
  return { ok: true, values, dropped: { ...none, otherNamespace } };
}

function notANumber({ metric }: CompiledRule, cause: string): Failure {
  return failed("ObjectNotFound", `the metric ${metric} has no usable value: ${cause}`);
}

function wrongType(rule: CompiledRule, { type }: InstantResult, wanted: string): Failure {
  const message = `unable to fetch metrics: the query of the ${titleOf(rule)} gives a ${type}, not ${wanted}`;
  return failed("Internal", message);
}

/** A sum over part of the data would be too small; of many objects, those without data count as missing. */
function partialData(result: InstantResult, isList: boolean): Failure | undefined {
  const cause = isList ? undefined : missingPart(result);
  return cause === undefined ? undefined : failed("Unavailable", `unable to fetch metrics: ${cause}`, 1);
}

/** The samples that are selected, or why none can be. */
type Selected = { readonly ok: true; readonly samples: readonly VectorSample[] } | Failure;

/**
 * A matcher on the outermost result of a query chooses among its samples, and so does this; what is inside the query is
 * left as its author wrote it. It means something only where the result has the label: an aggregation has dropped it
 * otherwise, `!=` would choose everything, and `=` nothing.
 */
function selectSamples(rule: CompiledRule, samples: readonly VectorSample[], selector: Selector): Selected {
  if (selector.requirements.length === 0 || samples.length === 0) return { ok: true, samples };
  const dropped = selector.requirements.find(
    ({ key }) => !samples.some(({ labels }) => labelOf(labels, key) !== undefined),
  );
  if (dropped !== undefined) return failed("BadRequest", droppedLabel(rule, samples, dropped.key));
  return { ok: true, samples: samples.filter(({ labels }) => selector.matches(labels)) };
}

/** Of a result without any labels, such as a scalar. */
function selectNothing(rule: CompiledRule, selector: Selector): Failure | undefined {
  const [first] = selector.requirements;
  return first === undefined ? undefined : failed("BadRequest", droppedLabel(rule, [], first.key));
}

function droppedLabel(rule: CompiledRule, samples: readonly VectorSample[], key: string): string {
  const kept = [...new Set(samples.flatMap(({ labels }) => Object.keys(labels)))].sort();
  const labels = kept.length === 0 ? "it has none" : `it has ${cut(kept.join(", "))}`;
  return `the metric selector names the label ${JSON.stringify(key)}, which the query of the ${titleOf(rule)} does not keep (${labels}): add it to the query's "by", or remove it from the selector`;
}
