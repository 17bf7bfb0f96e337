// Reads a load out of a recording of an autoscaler.
import { type Load, noLoad, readAutoscaler, type Section } from "@plimsoll/simulator";
import { inferLoad } from "./infer/load.ts";
import { loadOf } from "./infer/series.ts";
import type { Recording } from "./replay/recording.ts";

/** A recording that a scenario names, or why it cannot be read. */
export type RecordingRead =
  | { readonly ok: true; readonly recording: Recording }
  | { readonly ok: false; readonly message: string };

/**
 * `{ file, window, scrapeInterval, cpuPerRequest }`: what all pods had together of a Pods metric, or of cpu, which a request
 * costs so much of. The recording begins at the start of the scenario.
 */
export function readRecordedLoad(
  section: Section,
  startMs: number,
  open: (file: string) => RecordingRead,
): Load {
  const file = section.text("file");
  const rateMs = section.duration("window", "1m");
  const scrapeMs = section.duration("scrapeInterval", "15s");
  const cpuPerRequest = section.has("cpuPerRequest") ? section.duration("cpuPerRequest") / 1000 : undefined;
  section.close();
  if (file === "") return noLoad;
  const refuse = (message: string, remedy: string): Load => {
    section.problem("file", message, remedy);
    return noLoad;
  };
  const read = open(file);
  if (!read.ok)
    return refuse(`cannot be read: ${read.message}`, "use the path of a recording from backtest --save");
  const own = readAutoscaler(read.recording.autoscaler.object);
  if (!own.ok)
    return refuse(
      `has an autoscaler that the API would reject: ${own.message}`,
      "record it with the object as applied",
    );
  const inferred = inferLoad(read.recording, { autoscaler: own.autoscaler, rateMs, scrapeMs });
  if (!inferred.ok) return refuse(`has no load: ${inferred.message}`, "use another recording, or csv");
  const { series, metric } = inferred.load;
  const isCpu = metric.kind === "cpu";
  if (isCpu && !(cpuPerRequest !== undefined && cpuPerRequest > 0))
    return refuse("has its load in cpu", "set cpuPerRequest, the CPU time of a request, such as 6ms");
  const points = loadOf(series);
  const movedMs = startMs - read.recording.span.fromMs;
  if (movedMs !== 0) {
    const value = `${new Date(read.recording.span.fromMs).toISOString()} moved to ${new Date(startMs).toISOString()}`;
    section.findings.assumptions.push({ path: `${section.path}.start`, value, source: "estimated" });
  }
  const perRequest = isCpu ? (cpuPerRequest ?? 1) : 1;
  return {
    ...points,
    atMs: points.atMs.map((atMs) => atMs + movedMs),
    perSecond: points.perSecond.map((value) => value / perRequest),
  };
}
