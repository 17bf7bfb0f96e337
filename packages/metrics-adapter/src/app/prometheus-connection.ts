// The client of Prometheus, by the flags.
import type { Clock, Logger } from "@plimsoll/component-base";
import { createResponseMemory } from "@plimsoll/kube";
import type { ReadText } from "@plimsoll/kube/serving";
import { createPrometheusClient, type PrometheusClient } from "@plimsoll/prometheus";
import type { PrometheusOptions } from "../options/compile.ts";
import { type PrometheusCredentials, readPrometheusCredentials } from "./prometheus-credentials.ts";

export interface ConnectionSeams {
  readonly readText: ReadText;
  readonly clock: Clock;
  readonly log: Logger;
}

/** For all large responses in flight together; each one has a limit of its own. */
const responseMemoryBytes = 32 * 1024 * 1024;
const rereadMs = 10_000;
/** Longer than any request of a client that has been replaced. */
const retireMs = 60_000;

/**
 * A client that follows its files: rotated tokens, certificates and CAs take effect without a restart.
 * @throws Error when a file cannot be read at the start.
 */
export async function connectPrometheus(
  options: PrometheusOptions,
  { readText, clock, log }: ConnectionSeams,
): Promise<PrometheusClient> {
  const responseMemory = createResponseMemory(responseMemoryBytes);
  const create = (credentials: PrometheusCredentials): PrometheusClient =>
    createPrometheusClient({
      url: options.url,
      verb: options.verb,
      headers: {
        ...(credentials.authorization === undefined ? {} : { Authorization: credentials.authorization }),
        ...options.headers,
      },
      bearerToken: () => credentials.token,
      tls: credentials.tls,
      ...(options.queryTimeoutMs === undefined ? {} : { timeoutMs: options.queryTimeoutMs }),
      responseMemory,
    });

  let credentials = await readPrometheusCredentials(options, readText);
  let current = create(credentials);
  let cancel = (): void => {};
  let isClosed = false;

  const reread = async (): Promise<void> => {
    try {
      const next = await readPrometheusCredentials(options, readText);
      if (!isClosed && JSON.stringify(next) !== JSON.stringify(credentials)) {
        const retired = current;
        credentials = next;
        current = create(next);
        clock.after(retireMs, () => void retired.close());
        log.info({}, "credentials for Prometheus reloaded");
      }
    } catch (error) {
      log.warn({ err: error }, "credentials for Prometheus could not be read again; keeping the old ones");
    }
    schedule();
  };
  const schedule = (): void => {
    if (!isClosed) {
      cancel = clock.after(rereadMs, () => void reread());
    }
  };
  schedule();

  return {
    query: (promql, limits) => current.query(promql, limits),
    queryRange: (promql, range) => current.queryRange(promql, range),
    series: (matches, limits) => current.series(matches, limits),
    labelNames: (matches, limits) => current.labelNames(matches, limits),
    labelValues: (label, matches, limits) => current.labelValues(label, matches, limits),
    close: async () => {
      isClosed = true;
      cancel();
      await current.close();
    },
  };
}
