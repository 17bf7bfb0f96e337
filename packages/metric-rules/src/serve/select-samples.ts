// Applies the metric selector of a request to the result of a rule's query.
import type { Selector } from "@plimsoll/core/selector";
import { cut, labelOf, type VectorSample } from "@plimsoll/prometheus";
import type { CompiledRule } from "../compile/compiled.ts";
import { titleOf } from "../compile/title.ts";
import { type Failure, failed } from "./outcome.ts";

/** The samples that are selected, or why none can be. */
export type Selected = { readonly ok: true; readonly samples: readonly VectorSample[] } | Failure;

/**
 * A matcher on the outermost result of a query chooses among its samples, and so does this; what is inside the query is
 * left as its author wrote it. It means something only where the result has the label: an aggregation has dropped it
 * otherwise, `!=` would choose everything, and `=` nothing.
 */
export function selectSamples(
  rule: CompiledRule,
  samples: readonly VectorSample[],
  selector: Selector,
): Selected {
  if (selector.requirements.length === 0 || samples.length === 0) return { ok: true, samples };
  const dropped = selector.requirements.find(
    ({ key }) => !samples.some(({ labels }) => labelOf(labels, key) !== undefined),
  );
  if (dropped !== undefined) return failed("BadRequest", droppedLabel(rule, samples, dropped.key));
  return { ok: true, samples: samples.filter(({ labels }) => selector.matches(labels)) };
}

/** Of a result without any labels, such as a scalar. */
export function selectNothing(rule: CompiledRule, selector: Selector): Failure | undefined {
  const [first] = selector.requirements;
  return first === undefined ? undefined : failed("BadRequest", droppedLabel(rule, [], first.key));
}

function droppedLabel(rule: CompiledRule, samples: readonly VectorSample[], key: string): string {
  const kept = [...new Set(samples.flatMap(({ labels }) => Object.keys(labels)))].sort();
  const labels = kept.length === 0 ? "it has none" : `it has ${cut(kept.join(", "))}`;
  return `the metric selector names the label ${JSON.stringify(key)}, which the query of the ${titleOf(rule)} does not keep (${labels}): add it to the query's "by", or remove it from the selector`;
}
