// A MetricRule as a document, and what the adapter would say of it.
import { checkRuleObjects } from "@plimsoll/metric-rules";
import { type MatcherText, selectorWithout, withoutMatcher } from "@plimsoll/prometheus/syntax";
import { Document } from "yaml";

/** Where MetricRules go, and what they are confined by. */
export interface MetricRuleSettings {
  /** Of objects that name none; undefined: theirs have none either. */
  readonly namespace: string | undefined;
  /** --metric-rule-namespace-label of the adapter. */
  readonly namespaceLabel: string;
}

/** What a MetricRule is made of. */
export interface MetricRuleParts {
  /** Undefined: that of who applies it. */
  readonly namespace: string | undefined;
  readonly type: "Pods" | "Object" | "External";
  readonly metric: string;
  readonly query: string;
  readonly source?: string | undefined;
  readonly podLabel?: string | undefined;
  readonly object?: { readonly resource: string; readonly label: string } | undefined;
}

/** The document, or why the adapter would refuse it. */
export type WrittenRule =
  | { readonly ok: true; readonly document: Document; readonly name: string }
  | { readonly ok: false; readonly message: string };

/**
 * The adapter adds a matcher of the rule's namespace to each selector. The query has to have that matcher already: its value
 * would be another one otherwise.
 */
export function metricRule(parts: MetricRuleParts, { namespaceLabel }: MetricRuleSettings): WrittenRule {
  const { namespace, type, metric, source, podLabel, object } = parts;
  const matcher = { label: namespaceLabel, value: namespace ?? "" };
  const selector = selectorWithout(parts.query, matcher);
  if (selector !== undefined) return { ok: false, message: confinedText(selector, matcher, namespace) };
  const query = withoutMatcher(parts.query, matcher);
  const name = objectName(object === undefined ? metric : `${metric}-${object.resource}`);
  const value = {
    apiVersion: "autoscaling.plimsoll.dev/v1alpha1",
    kind: "MetricRule",
    metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
    spec: {
      type,
      ...(metric === name ? {} : { metric }),
      ...(object === undefined ? {} : { object }),
      ...(podLabel === undefined || podLabel === "pod" ? {} : { podLabel }),
      ...(source === undefined ? {} : { source }),
      query,
    },
  };
  const [checked] = checkRuleObjects([value], { namespaceLabel, namespace: namespace ?? "default" });
  if (checked?.decided.type === "refused") {
    const { reason, message } = checked.decided.refusal;
    return { ok: false, message: `${reason}: ${message}` };
  }
  return { ok: true, document: new Document(value, { version: "1.1", aliasDuplicateObjects: false }), name };
}

function confinedText(selector: string, { label }: MatcherText, namespace: string | undefined): string {
  const shown = selector.slice(0, 200);
  return namespace === undefined
    ? `${shown} would be confined to a namespace, but the object has none: set --namespace`
    : `${shown} would be confined to ${label}="${namespace}", and may read other series now`;
}

/** A DNS subdomain, as names of objects are. */
function objectName(text: string): string {
  const name = text
    .toLowerCase()
    .replaceAll(/[^a-z0-9.]+/g, "-")
    .replaceAll(/-?\.-?/g, ".")
    .slice(0, 253)
    .replaceAll(/^[-.]+|[-.]+$/g, "");
  return name === "" ? "metric" : name;
}
