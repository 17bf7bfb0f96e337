import { labelSelector } from "@plimsoll/core/selector";
import { isRecord } from "../storage/json-value.ts";

/** Labels or a plain selector as `a=b,c=d`, keys sorted; `<none>` when there are none. */
export function labelText(labels: unknown): string {
  const entries = isRecord(labels) ? Object.entries(labels) : [];
  if (entries.length === 0) return "<none>";
  return entries
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${String(value)}`)
    .join(",");
}

/** A LabelSelector in the form that `kubectl -l` takes. */
export function selectorText(selector: unknown): string {
  if (!isRecord(selector)) return "<none>";
  try {
    const text = labelSelector(selector).toString();
    return text === "" ? "<none>" : text;
  } catch {
    return "<error>";
  }
}

/** The first few of a list, and how many more there are. */
export function shortList(items: readonly string[], limit: number, separator = ","): string {
  if (items.length <= limit) return items.join(separator);
  return `${items.slice(0, limit).join(separator)} + ${items.length - limit} more...`;
}
