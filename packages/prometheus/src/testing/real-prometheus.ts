// The real Prometheus, for tests.
import { type RealPrometheus, type ServerProcessOptions, startServerProcess } from "./server-process.ts";

/** The configuration of the server. */
export type RealPrometheusOptions = Pick<ServerProcessOptions, "binary" | "targets">;

/** Starts a Prometheus of its own. */
export function startRealPrometheus(options: RealPrometheusOptions): Promise<RealPrometheus> {
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
