import type { LabelSelector } from "./label-selector.ts";

/**
 * A label selector as Go prints a pointer to one; upstream puts it into metric names.
 *
 * @upstream apimachinery/pkg/apis/meta/v1/generated.pb.go#LabelSelector.String
 */
export function printSelector(selector: LabelSelector | null | undefined): string {
  if (selector === undefined || selector === null) return "nil";
  const labels = selector.matchLabels ?? {};
  const pairs = Object.keys(labels)
    .sort(byBytes)
    .map((key) => `${key}: ${labels[key]},`)
    .join("");
  const expressions = (selector.matchExpressions ?? [])
    .map(
      ({ key, operator, values }) =>
        `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${(values ?? []).join(" ")}],},`,
    )
    .join("");
  return `&LabelSelector{MatchLabels:map[string]string{${pairs}},MatchExpressions:[]LabelSelectorRequirement{${expressions}},}`;
}

/** Keys are ASCII, where this equals Go's order. */
function byBytes(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
