// What is missing where the autoscaler has no series, and what remains.
import { formatMatchers, type PrometheusClient } from "@plimsoll/prometheus";
import type { RecordedSpan } from "../replay/recording.ts";
import { HistoryError } from "./errors.ts";
import type { Manifest } from "./manifest.ts";

const maxNames = 5;
const families = "(kube|plimsoll)_horizontalpodautoscaler_(info|spec_max_replicas)";

/** Why an autoscaler has no series: there are none at all, or only those of others. */
export async function absentError(
  client: PrometheusClient,
  { namespace, name }: Manifest,
  { span, signal }: { readonly span: RecordedSpan; readonly signal: AbortSignal },
): Promise<HistoryError> {
  const selector = `{${formatMatchers([{ label: "__name__", operator: "=~", value: families }])}}`;
  const range = { startMs: span.fromMs, endMs: span.toMs, signal };
  const all = await client.series([selector], range);
  if (all.length === 0) {
    return new HistoryError(
      "no-kube-state-metrics",
      "no series kube_horizontalpodautoscaler_* in this time: scrape kube-state-metrics, or use records of --record-inputs (level exact)",
    );
  }
  const there = all.map(
    (labels) => `${labels["namespace"] ?? ""}/${labels["horizontalpodautoscaler"] ?? ""}`,
  );
  const names = [...new Set(there)].toSorted(
    (a, b) => distance(a, namespace, name) - distance(b, namespace, name),
  );
  const more = names.length > maxNames ? ` and ${names.length - maxNames} more` : "";
  const listed = `${names.slice(0, maxNames).join(", ")}${more}`;
  return new HistoryError(
    "autoscaler-absent",
    `${namespace}/${name} has no series in this time, but these do: ${listed}. Check its name, namespace, and --selector`,
  );
}

/** Small for names that share their start, and the namespace. */
function distance(text: string, namespace: string, name: string): number {
  const [theirs = "", own = ""] = text.split("/");
  let shared = 0;
  while (shared < name.length && own[shared] === name[shared]) shared++;
  return (theirs === namespace ? 0 : 1000) - shared;
}
