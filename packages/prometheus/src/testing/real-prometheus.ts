// The real Prometheus, for tests.
import { type History, promtoolOf, writeHistory } from "./history.ts";
import { type RealPrometheus, type ServerProcessOptions, startServerProcess } from "./server-process.ts";

/** The configuration of the server. */
export type RealPrometheusOptions = Pick<ServerProcessOptions, "binary" | "targets">;

/** Starts a Prometheus of its own. */
export function startRealPrometheus(options: RealPrometheusOptions): Promise<RealPrometheus> {
  return startPrometheus(options);
}

/** A Prometheus that has a history at once, and scrapes nothing: it refuses samples before the end of its newest block. */
export function startPrometheusWith(
  history: History,
  // Blocks are the same in every version, and some packages of Prometheus have no promtool.
  { binary, promtool = promtoolOf(binary) }: { readonly binary: string; readonly promtool?: string },
): Promise<RealPrometheus> {
  return startPrometheus({
    binary,
    targets: [],
    prepare: (data) => writeHistory(history, { promtool, data }),
  });
}

function startPrometheus(
  options: RealPrometheusOptions & Pick<ServerProcessOptions, "prepare">,
): Promise<RealPrometheus> {
  return startServerProcess({
    ...options,
    name: "prometheus",
    readyPath: "/-/ready",
    args: ({ config, data, address }) => [
      `--config.file=${config}`,
      `--storage.tsdb.path=${data}`,
      `--web.listen-address=${address}`,
      "--log.level=error",
    ],
  });
}

/** Starts a VictoriaMetrics of its own, which hides no recent samples. */
export function startVictoriaMetrics(options: RealPrometheusOptions): Promise<RealPrometheus> {
  return startServerProcess({
    ...options,
    name: "victoria-metrics",
    readyPath: "/health",
    args: ({ config, data, address }) => [
      `-promscrape.config=${config}`,
      "-promscrape.suppressScrapeErrors",
      `-storageDataPath=${data}`,
      `-httpListenAddr=${address}`,
      "-search.latencyOffset=0s",
      "-search.disableCache",
      "-loggerLevel=ERROR",
      "-memory.allowedBytes=128MB",
    ],
  });
}
