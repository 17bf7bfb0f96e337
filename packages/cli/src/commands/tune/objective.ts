// What --objective and --budget say: when the workload is well.
import type { TuneObjective } from "@plimsoll/backtest";
import { parseGoDuration } from "@plimsoll/core/duration";
import { CliError } from "../../seams.ts";

const daySeconds = 86_400;

const keys = ["utilization", "hot-above", "hot"] as const;
type Key = (typeof keys)[number];

const forms: Readonly<Record<Key, string>> = {
  utilization: "a percentage of a pod's CPU request, such as utilization=85%",
  "hot-above": "a load per Ready pod in the metric's unit, such as hot-above=80",
  hot: "the share or time of a day in which pods may be hot, such as hot=0.1% or hot=90s",
};

/** `utilization=85%,hot=0.1%`, and `--budget 2m` of missing pods in a day. @throws CliError */
export function objectiveOf(text: string | undefined, budget: string | undefined): TuneObjective {
  const given = new Map<Key, number>();
  for (const part of text === undefined ? [] : text.split(",")) {
    const [, name = "", value = ""] = /^([^=]*)=(.*)$/.exec(part) ?? [];
    const key = keys.find((one) => one === name);
    if (key === undefined) throw new CliError(`--objective ${part} is unknown: use ${keyForms()}`);
    if (given.has(key)) throw new CliError(`--objective ${part}: ${key} is set twice`);
    const read = readers[key](value);
    if (read === undefined) throw new CliError(`--objective ${part}: use ${forms[key]}`);
    given.set(key, read);
  }
  const [utilization, hotAbove, hotSecondsPerDay] = keys.map((key) => given.get(key));
  if (utilization !== undefined && hotAbove !== undefined)
    throw new CliError("--objective: utilization and hot-above mean the same: use one of them");
  return {
    ...(utilization === undefined ? {} : { utilization }),
    ...(hotAbove === undefined ? {} : { hotAbove }),
    ...(hotSecondsPerDay === undefined ? {} : { hotSecondsPerDay }),
    ...(budget === undefined ? {} : { shortPodSecondsPerDay: budgetOf(budget) }),
  };
}

function keyForms(): string {
  return keys.map((key) => forms[key]).join("; ");
}

const readers: Readonly<Record<Key, (text: string) => number | undefined>> = {
  utilization(text) {
    const part = partOf(text);
    return part !== undefined && part > 0 ? part : undefined;
  },
  "hot-above"(text) {
    const value = text === "" ? Number.NaN : Number(text);
    return value > 0 && Number.isFinite(value) ? value : undefined;
  },
  hot(text) {
    const part = partOf(text);
    return part === undefined ? secondsOf(text) : part * daySeconds;
  },
};

/** "85%", up to all of it. */
function partOf(text: string): number | undefined {
  const percent = /^\d+(?:\.\d+)?%$/.test(text) ? Number(text.slice(0, -1)) : Number.NaN;
  return percent <= 100 ? percent / 100 : undefined;
}

function secondsOf(text: string): number | undefined {
  const ms = parseGoDuration(text);
  return ms !== undefined && ms >= 0 && ms <= daySeconds * 1000 ? ms / 1000 : undefined;
}

/** Pods times time, such as 2m for two pods of a minute, or one of two. */
function budgetOf(text: string): number {
  const ms = parseGoDuration(text);
  if (ms !== undefined && ms >= 0 && ms <= 1000 * daySeconds * 1000) return ms / 1000;
  throw new CliError(
    `--budget ${text} is not a duration: use missing pod time per day, such as 2m for two pods missing for a minute`,
  );
}
