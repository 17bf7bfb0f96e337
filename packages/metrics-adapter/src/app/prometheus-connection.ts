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
  seams: ConnectionSeams,
): Promise<PrometheusClient> {
  const responseMemory = createResponseMemory(responseMemoryBytes);
  return await followFiles(
    {
      read: () => readPrometheusCredentials(options, seams.readText),
      create: (credentials: PrometheusCredentials) =>
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
        }),
      fields: {},
    },
    seams,
  );
}

/** How a client is made of what files say. */
export interface FollowedClient<C> {
  /** @throws Error when a file cannot be read. */
  readonly read: () => Promise<C>;
  readonly create: (credentials: C) => PrometheusClient;
  /** For log lines. */
  readonly fields: Readonly<Record<string, string>>;
}

/** A client that is made again when the files behind it change. @throws Error when they cannot be read at the start. */
export async function followFiles<C>(
  { read, create, fields }: FollowedClient<C>,
  { clock, log }: Pick<ConnectionSeams, "clock" | "log">,
): Promise<PrometheusClient> {
  let credentials = await read();
  let current = create(credentials);
  let cancel = (): void => {};
  let isClosed = false;

  const reread = async (): Promise<void> => {
    try {
      const next = await read();
      if (!isClosed && JSON.stringify(next) !== JSON.stringify(credentials)) {
        const retired = current;
        credentials = next;
        current = create(next);
        clock.after(retireMs, () => void retired.close());
        log.info(fields, "credentials for Prometheus reloaded");
      }
    } catch (error) {
      log.warn(
        { ...fields, err: error },
        "credentials for Prometheus could not be read again; keeping the old ones",
      );
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
