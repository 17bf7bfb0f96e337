// What a backtest finds of the real controller.

import { type OpenLoopReport, type Recording, replayOpenLoop } from "@plimsoll/backtest";
import { readHistory } from "@plimsoll/backtest/prometheus";
import { createPrometheusClient } from "@plimsoll/prometheus";
import { readAutoscaler } from "@plimsoll/simulator";
import { hpa, query, type RealRun } from "./real-controller.ts";

const bounds = { periodMs: 15_000, cacheAgeMs: 15_000, maxMismatches: 50 };

export interface Backtested {
  readonly level: "series" | "status";
  readonly recording: Recording;
  readonly notes: readonly string[];
  readonly report: OpenLoopReport;
}

/** From its metric, its pods and a recovered clock, or from its status alone. */
export async function backtestReal(
  { prometheusUrl, fromMs, toMs }: RealRun,
  level: Backtested["level"],
): Promise<Backtested> {
  const client = createPrometheusClient({ url: prometheusUrl });
  try {
    const { recording, notes } = await readHistory({
      client,
      object: hpa,
      span: { fromMs, toMs },
      ...(level === "series" ? { queries: { http_requests_per_second: query } } : {}),
      level,
      isPartial: true,
      nowMs: () => toMs,
    });
    const read = readAutoscaler(hpa);
    if (!read.ok) throw new Error(read.message);
    const report = replayOpenLoop(recording, read.autoscaler, bounds);
    if (report === undefined) throw new Error("the recording has no decision");
    return { level, recording, notes, report };
  } finally {
    await client.close();
  }
}
