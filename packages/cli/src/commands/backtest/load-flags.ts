// The flags that say how the metrics of a recording were measured, and how they follow the pods.
import type { LoadModel } from "@plimsoll/backtest";
import { parseGoDuration } from "@plimsoll/core/duration";
import { Option } from "commander";
import { CliError } from "../../seams.ts";

/** As commander reads them. */
export interface LoadFlags {
  readonly metricWindow?: string;
  readonly scrapeInterval: string;
  readonly loadModel?: readonly string[];
}

/** What a recording does not say of its load. */
export interface LoadSettings {
  /** Absent: as the recording says. */
  readonly rateMs: number | undefined;
  readonly scrapeMs: number;
  readonly loadModels: Readonly<Record<string, LoadModel>>;
}

export function loadOptions(): readonly Option[] {
  return [
    new Option(
      "--metric-window <DURATION>",
      "rate window of Pods metrics, and of CPU that a query reads (default: that of the query, or 1m)",
    ),
    new Option("--scrape-interval <DURATION>", "scrape interval of these metrics' targets").default("15s"),
    new Option(
      "--load-model <METRIC=MODEL...>",
      "how an Object or External metric depends on the pods. conserved: they share it. backlog: they work it off",
    ),
  ];
}

/** @throws CliError */
export function readLoadFlags({ metricWindow, scrapeInterval, loadModel = [] }: LoadFlags): LoadSettings {
  return {
    rateMs: metricWindow === undefined ? undefined : durationFlag("--metric-window", metricWindow),
    scrapeMs: durationFlag("--scrape-interval", scrapeInterval),
    loadModels: Object.fromEntries(loadModel.map(loadModelFlag)),
  };
}

const models: readonly LoadModel[] = ["independent", "conserved", "backlog"];

function loadModelFlag(text: string): readonly [string, LoadModel] {
  const [, metric, given] = /^(.+)=([^=]*)$/.exec(text) ?? [];
  const model = models.find((one) => one === given);
  if (metric !== undefined && model !== undefined) return [metric, model];
  throw new CliError(`--load-model ${text} is not a model: use METRIC=${models.join(", METRIC=")}`);
}

function durationFlag(flag: string, text: string): number {
  const ms = parseGoDuration(text);
  if (ms !== undefined && ms >= 1000 && ms <= 3_600_000) return ms;
  throw new CliError(`${flag} ${text} is not a duration from 1s to 1h: use a value such as 1m`);
}
