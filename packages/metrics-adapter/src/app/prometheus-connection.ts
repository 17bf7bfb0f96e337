// The client of Prometheus, by the flags.
import { atMostEvery, type Clock, type Logger } from "@plimsoll/component-base";
import { createResponseMemory } from "@plimsoll/kube";
import type { ReadText } from "@plimsoll/kube/serving";
import { createPrometheusClient, type PrometheusClient, PrometheusError } from "@plimsoll/prometheus";
import { maxItemBytes } from "../backends/prometheus/query/response-budgets.ts";
import type { PrometheusOptions } from "../options/compile.ts";
import { type PrometheusCredentials, readPrometheusCredentials } from "./prometheus-credentials.ts";

export interface ConnectionSeams {
  readonly readText: ReadText;
  readonly clock: Clock;
  readonly log: Logger;
  /** HTTP_PROXY, HTTPS_PROXY and NO_PROXY. */
  readonly proxyEnv?: Readonly<Record<string, string | undefined>> | undefined;
}

/** For all large responses in flight together; each one has a limit of its own. */
const responseMemoryBytes = 32 * 1024 * 1024;
const rereadMs = 10_000;
const refusedMs = 1_000;
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
          proxyUrl: options.proxyUrl,
          proxyEnv: seams.proxyEnv,
          headers: {
            ...(credentials.authorization === undefined ? {} : { Authorization: credentials.authorization }),
            ...options.headers,
          },
          bearerToken: () => credentials.token,
          tls: credentials.tls,
          ...(options.queryTimeoutMs === undefined ? {} : { timeoutMs: options.queryTimeoutMs }),
          maxItemBytes,
          responseMemory,
        }),
      fields: {},
    },
    seams,
  );
}

/** In place of a Prometheus that there is not: it has no series, and answers no query. */
export function noPrometheus(): PrometheusClient {
  const none = () => Promise.resolve([]);
  const refuse = () =>
    Promise.reject(
      new PrometheusError(
        "unreachable",
        "there is no Prometheus: set --prometheus-url, or use live queries only",
      ),
    );
  return {
    query: refuse,
    queryRange: refuse,
    series: none,
    labelNames: none,
    labelValues: none,
    close: () => Promise.resolve(),
  };
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
        "could not reload the credentials for Prometheus; keeping the old ones",
      );
    }
    schedule();
  };
  const schedule = (): void => {
    cancel();
    if (!isClosed) cancel = clock.after(rereadMs, () => void reread());
  };
  schedule();
  const rereadRefused = atMostEvery(clock, refusedMs, reread);
  const orReread = async <T>(send: (client: PrometheusClient) => Promise<T>): Promise<T> => {
    const used = current;
    try {
      return await send(used);
    } catch (error) {
      if (!(error instanceof PrometheusError && error.status === 401)) throw error;
      if (current === used) await rereadRefused();
      if (current === used) throw error;
      return await send(current);
    }
  };

  return {
    query: (...request) => orReread((client) => client.query(...request)),
    queryRange: (...request) => orReread((client) => client.queryRange(...request)),
    series: (...request) => orReread((client) => client.series(...request)),
    labelNames: (...request) => orReread((client) => client.labelNames(...request)),
    labelValues: (...request) => orReread((client) => client.labelValues(...request)),
    close: async () => {
      isClosed = true;
      cancel();
      await current.close();
    },
  };
}
