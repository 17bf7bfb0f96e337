import type { PrometheusClient } from "@plimsoll/prometheus";
import type { EngineTelemetry } from "../engine-telemetry.ts";
import type { Logger } from "../logger.ts";

export interface ScrapeIntervalOptions {
  readonly prometheus: Pick<PrometheusClient, "query">;
  readonly telemetry: EngineTelemetry;
  readonly log: Logger;
  /** How old an answer may be when it is given again; 0: nothing is given again, and nothing is looked at. */
  readonly resultMaxAgeMs: number;
}

const SPAN_MS = 300_000;
/** One number, out of one series for each target. */
const SCRAPES = "max(count_over_time(up[5m]))";
/** Of the scrape interval. How many scrapes fit into a span is a matter of one more or less. */
const MOST_SHARE = 0.55;

/**
 * Looks whether answers that are given again may be older than half the scrape interval, so that a new scrape could
 * go unseen by the next evaluation. Says so once for each interval. Never rejects.
 */
export function createScrapeIntervalCheck(
  options: ScrapeIntervalOptions,
): (signal: AbortSignal) => Promise<void> {
  const { log, telemetry, resultMaxAgeMs } = options;
  let saidSeconds: number | undefined;

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
      log.debug({ err: error }, "the scrape interval cannot be seen");
      return;
    }
    if (intervalMs === undefined) return;
    const share = resultMaxAgeMs / intervalMs;
    telemetry.resultAgeShare(share);
    const seconds = Math.max(1, Math.round(intervalMs / 1000));
    if (share <= MOST_SHARE) {
      saidSeconds = undefined;
    } else if (saidSeconds !== seconds) {
      saidSeconds = seconds;
      log.warn(
        { resultMaxAgeMs, scrapeIntervalSeconds: seconds },
        "answers may be given again for longer than half the shortest scrape interval: lower --metrics-result-max-age",
      );
    }
  };
}
