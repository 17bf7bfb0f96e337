// Invariant: a value that an adapter serves is one that its source gave it for that very object, within the age bound.
import { quantityOf } from "@plimsoll/rules";
import { adapterOptions } from "../adapter/adapter-program.ts";
import { findLive } from "../objects/live.ts";
import type { EvaluatedValue, Evaluation } from "../prometheus/evaluation-log.ts";
import type { CreateInvariant } from "../run/world.ts";
import { createLiveValues } from "./live-values.ts";
import { type AdapterServed, readServed, type ServedItem, type ServedValue } from "./served-response.ts";

/** A query lasts a minute at most, and its process may be paused meanwhile; what it gave is reused for seconds. */
const reachMs = 400_000;

type ValuesOf = (identity: string) => readonly EvaluatedValue[];

export const servedValues: CreateInvariant = ({ prometheus, scenario }) => {
  const live = createLiveValues();
  const liveOf = findLive(scenario.setup);
  return {
    name: "served-values",
    observe(observation) {
      if (observation.kind === "scraped") live.note(observation);
      if (observation.kind !== "adapter-served") return undefined;
      const served = readServed(observation);
      for (const item of served?.items ?? []) {
        const metric = liveOf(item.namespace ?? "", item.metric);
        const problem =
          metric === undefined
            ? problemOf(observation, item, prometheus.valuesOf)
            : live.problemOf(observation, item, { ...metric, isOfPod: served?.request.api === "custom" });
        if (problem !== undefined) return `${observation.process} at ${observation.url}: ${problem}`;
      }
      return (served?.items.length ?? 0) > 0 ? true : undefined;
    },
  };
};

function problemOf(served: AdapterServed, item: ServedItem, valuesOf: ValuesOf): string | undefined {
  const atMs = Date.parse(item.timestamp);
  let isDated = false;
  for (const value of item.values) {
    const known = valuesOf(value.identity);
    const date = nearestDate(served, value, { known, atMs });
    if (date === undefined) return whyNot(served, value, known);
    if (date < atMs) return `${value.identity} is dated ${item.timestamp}, which is too late`;
    isDated ||= date === atMs;
  }
  return isDated ? undefined : `no value of ${item.name} was measured at ${item.timestamp}`;
}

interface Candidates {
  readonly known: readonly EvaluatedValue[];
  /** The whole second that is wanted. */
  readonly atMs: number;
}

/** Of the queries that gave this process the value, and whose result it may use, the date: the wanted one, or a later one. */
function nearestDate(
  served: AdapterServed,
  value: ServedValue,
  { known, atMs }: Candidates,
): number | undefined {
  let nearest: number | undefined;
  for (let at = known.length - 1; at >= 0; at -= 1) {
    const one = known[at];
    if (one === undefined) break;
    const { evaluation, value: given } = one;
    if (evaluation.atMs < served.receivedAtMs - reachMs) break;
    if (!mayUse(served, evaluation) || !isServedAs(value, given)) continue;
    const date = Math.floor(evaluation.datedMs / 1_000) * 1_000;
    if (date === atMs) return date;
    if (nearest === undefined || date > nearest) nearest = date;
  }
  return nearest;
}

/** A rate is below 0 where NaN stands between a counter's samples before and after its reset. */
function isServedAs({ value, format, isUsage }: ServedValue, given: number): boolean {
  return quantityOf(isUsage ? Math.max(0, given) : given, format) === value;
}

/** What came while the request waited, and before that what was not too old when the request came. */
function mayUse(served: AdapterServed, evaluation: Evaluation): boolean {
  const { process, run, deliveredAtMs, sentAtMs } = evaluation;
  if (process !== served.process || run !== served.run || deliveredAtMs === undefined) return false;
  if (deliveredAtMs >= served.receivedAtMs) return true;
  return served.receivedByClockMs - sentAtMs <= adapterOptions.resultMaxAgeMs + served.setBackMs;
}

function whyNot(served: AdapterServed, value: ServedValue, known: readonly EvaluatedValue[]): string {
  const same = known.findLast(
    (one) => one.evaluation.process === served.process && isServedAs(value, one.value),
  );
  const { identity, value: text } = value;
  if (same === undefined) return `${identity} is ${text}, which Prometheus gave for no such series`;
  const { run, sentAtMs } = same.evaluation;
  if (run !== served.run) return `${identity} is ${text}, which an earlier run of the process got`;
  return `${identity} is ${text}, which is ${served.receivedByClockMs - sentAtMs} ms old`;
}
