// What a Prometheus says of the series of a rule: how often they are scraped, their labels, when they ended.
import { labelsOf } from "@plimsoll/doctor";
import { formatMatchers, formatSelector, type PrometheusClient, PrometheusError } from "@plimsoll/prometheus";

interface Asked {
  readonly prometheus: PrometheusClient;
  readonly signal: AbortSignal;
}

export interface SeriesFacts {
  readonly scrapeIntervalMs: number | undefined;
  /** Undefined: not known. */
  readonly labels: readonly string[] | undefined;
}

/** Scrapes are counted over this range. */
const countRange = "10m";
const countRangeSeconds = 600;

/** How far back series are looked for that have no samples now. */
const lookBack = "14d";

/** Age of the newest sample of series that have none now; undefined where they have, or Prometheus refuses to look at all. */
export async function silenceMs(
  selector: string,
  { prometheus, signal, nowMs }: Asked & { readonly nowMs: number },
): Promise<number | undefined> {
  try {
    // To look back costs more, the more series are alive.
    const alive = await prometheus.query(`count(${selector})`, { atMs: nowMs, signal });
    if (alive.type === "vector" && alive.samples.length > 0) return undefined;
    const promql = `max(max_over_time(timestamp(${selector})[${lookBack}:5m]))`;
    const result = await prometheus.query(promql, { atMs: nowMs, signal });
    const lastAt = result.type === "vector" ? result.samples[0]?.value : undefined;
    return lastAt !== undefined && Number.isFinite(lastAt) ? nowMs - lastAt * 1000 : undefined;
  } catch (error) {
    if (error instanceof PrometheusError && !signal.aborted) return undefined;
    throw error;
  }
}

const unknownFacts: SeriesFacts = { scrapeIntervalMs: undefined, labels: undefined };

/** Of the first of its series; unknown where it has none now, or Prometheus doesn't answer. */
export async function seriesFacts(series: string, { prometheus, signal }: Asked): Promise<SeriesFacts> {
  const query = async (promql: string) => {
    const result = await prometheus.query(promql, { signal });
    return result.type === "vector" ? result.samples[0] : undefined;
  };
  try {
    const newest = await query(`topk(1, ${formatSelector(series, [])})`);
    if (newest === undefined) return unknownFacts;
    const labels = labelsOf(newest.labels);
    // One series costs little, however many there are.
    const equalities = Object.entries({ __name__: series, ...labels });
    const one = `{${formatMatchers(equalities.map(([label, value]) => ({ label, operator: "=", value })))}}`;
    const [count, first, last] = [
      await query(`count_over_time(${one}[${countRange}])`),
      await query(`min_over_time(timestamp(${one})[${countRange}:1s])`),
      await query(`timestamp(${one})`),
    ].map((sample) => sample?.value);
    return {
      scrapeIntervalMs: intervalMs({ count, first, last }),
      labels: Object.keys(labels).filter((name) => name !== "__name__"),
    };
  } catch {
    signal.throwIfAborted();
    return unknownFacts;
  }
}

/** A series that began within the range has fewer samples for its age; times in seconds. */
function intervalMs(
  times: Readonly<Record<"count" | "first" | "last", number | undefined>>,
): number | undefined {
  const { count = Number.NaN, first = Number.NaN, last = Number.NaN } = times;
  const isWhole = last - first >= countRangeSeconds * 0.9;
  const seconds = isWhole ? countRangeSeconds / count : (last - first) / (count - 1);
  return count > 1 && Number.isFinite(seconds) && seconds > 0 ? Math.round(seconds * 1000) : undefined;
}
