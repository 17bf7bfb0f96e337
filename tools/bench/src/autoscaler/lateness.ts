// How late evaluations were between two samples, out of the histogram of the process.
import type { Sample } from "./sample.ts";

/** The bound in seconds below which this share of them was; "?" without one. */
export function latenessOf(
  before: Pick<Sample, "metrics">,
  after: Pick<Sample, "metrics">,
  share: number,
): string {
  const late = "plimsoll_hpa_controller_sync_lateness_seconds_bucket";
  const bounds = [...after.metrics.keys()]
    .filter((key) => key.startsWith(`${late}{`))
    .map((key) => ({ key, le: Number(/le="([^"]+)"/.exec(key)?.[1]?.replace("+Inf", "Infinity")) }))
    .sort((one, other) => one.le - other.le);
  const count = (key: string) => (after.metrics.get(key) ?? 0) - (before.metrics.get(key) ?? 0);
  const all = count(bounds.at(-1)?.key ?? "");
  return String(bounds.find(({ key }) => count(key) >= share * all)?.le ?? "?");
}
