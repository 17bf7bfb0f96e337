// Compares the age of reused results with the scrape interval.
import type { Logger } from "@plimsoll/component-base";
import type { PrometheusClient } from "@plimsoll/prometheus";
import type { EngineTelemetry } from "../../../telemetry/prometheus.ts";

export interface ScrapeIntervalOptions {
  readonly prometheus: Pick<PrometheusClient, "query">;
  readonly telemetry: EngineTelemetry;
  readonly log: Logger;
  /** How old the data of a reused result may be; 0: nothing is reused, and nothing is checked. */
  readonly resultMaxAgeMs: number;
}

const SPAN_MS = 300_000;
/** One number, out of one series for each target. */
const SCRAPES = "max(count_over_time(up[5m]))";
/** Of the scrape interval. How many scrapes fit into a span is a matter of one more or less. */
const MAX_SHARE = 0.55;

/**
 * Checks whether reused results may be older than half the scrape interval, so that a new scrape could
 * go unseen by the next evaluation. Logs it once for each interval. Never rejects.
 */
export function createScrapeIntervalCheck(
  options: ScrapeIntervalOptions,
): (signal: AbortSignal) => Promise<void> {
  const { log, telemetry, resultMaxAgeMs } = options;
  let loggedSeconds: number | undefined;

  const shortestMs = async (signal: AbortSignal): Promise<number | undefined> => {
    const result = await options.prometheus.query(SCRAPES, { signal });
    const scrapes = result.type === "vector" ? (result.samples[0]?.value ?? 0) : 0;
    return scrapes >= 1 ? SPAN_MS / scrapes : undefined;
  };

  return async (signal) => {
    if (resultMaxAgeMs <= 0) return;
    let intervalMs: number | undefined;
    try {
      intervalMs = await shortestMs(signal);
    } catch (error) {
      log.debug({ err: error }, "the scrape interval is unknown");
      return;
    }
    if (intervalMs === undefined) return;
    const share = resultMaxAgeMs / intervalMs;
    telemetry.resultAgeShare(share);
    const seconds = Math.max(1, Math.round(intervalMs / 1000));
    if (share <= MAX_SHARE) {
      loggedSeconds = undefined;
    } else if (loggedSeconds !== seconds) {
      loggedSeconds = seconds;
      log.warn(
        { resultMaxAgeMs, scrapeIntervalSeconds: seconds },
        "results are cached for longer than half of the shortest scrape interval; lower --metrics-result-max-age",
      );
    }
  };
}
