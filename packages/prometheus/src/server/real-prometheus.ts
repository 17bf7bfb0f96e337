// The real Prometheus as a child process, for tests of rules: with the samples that are written to it, and no others.
import { type RealPrometheus, startServerProcess } from "./server-process.ts";

/** What a test wants beside a server that has what is written to it. */
export interface PrometheusSetup {
  /** YAML. */
  readonly configText?: string;
  readonly flags?: readonly string[];
}

/** Starts a Prometheus of its own, which has what is written to it. */
export function startRealPrometheus(
  binary: string,
  signal?: AbortSignal,
  { configText, flags = [] }: PrometheusSetup = {},
): Promise<RealPrometheus> {
  return startServerProcess({
    binary,
    signal,
    name: "prometheus",
    readyPath: "/-/ready",
    configText,
    args: ({ config, data, address }) => [
      `--config.file=${config}`,
      `--storage.tsdb.path=${data}`,
      `--web.listen-address=${address}`,
      "--web.enable-remote-write-receiver",
      // Samples may be of any time.
      "--storage.tsdb.retention.time=100y",
      "--log.level=error",
      ...flags,
    ],
  });
}
