// The real Prometheus, for tests.

import { startRealPrometheus } from "../server/real-prometheus.ts";
import { type RealPrometheus, startServerProcess } from "../server/server-process.ts";
import { type History, scraped } from "./history.ts";

/** Starts a Prometheus of its own, with a history at once. */
export async function startPrometheusWith(
  history: History,
  { binary }: { readonly binary: string },
): Promise<RealPrometheus> {
  const prometheus = await startRealPrometheus(binary);
  await prometheus.write(scraped(history));
  return prometheus;
}

/** Starts a VictoriaMetrics of its own, which hides no recent samples. */
export function startVictoriaMetrics(binary: string): Promise<RealPrometheus> {
  return startServerProcess({
    binary,
    name: "victoria-metrics",
    readyPath: "/health",
    // Else queries see samples only seconds after they came.
    flushPath: "/internal/force_flush",
    args: ({ data, address }) => [
      `-storageDataPath=${data}`,
      `-httpListenAddr=${address}`,
      "-search.latencyOffset=0s",
      "-search.disableCache",
      "-loggerLevel=ERROR",
      "-memory.allowedBytes=128MB",
    ],
  });
}
