// Adds up the figures of a run, piece by piece of time.
import { podCapacity } from "../plant/capacity.ts";
import type { Flow } from "../plant/flow.ts";
import { loadWithin } from "../plant/latency.ts";
import type { QueuePiece } from "../plant/queue.ts";
import type { Workload } from "../scenario.ts";
import { createLatencyHistogram, type LatencyHistogram } from "./latency-histogram.ts";
import type { SeriesRecorder } from "./series-recorder.ts";

/** Sums over the time since the start. */
export interface Meter {
  readonly latency: LatencyHistogram;
  offered: number;
  served: number;
  lost: number;
  backlogMax: number;
  idealSeconds: number;
  shortSeconds: number;
  hotSeconds: number;
  transientSeconds: number;
  /** The next pieces count. */
  isOn: boolean;
  observe(flow: Flow, piece: QueuePiece, slope: number): void;
}

/** A gap in the service of whole requests. */
const atRest = 1e-12;

/** Nothing counted yet. */
export function createMeter({ pod, objective }: Workload, series: SeriesRecorder | undefined): Meter {
  const capacity = podCapacity(pod);
  const wanted = objective.utilization * capacity;
  const slotRate = capacity / pod.concurrency;
  const limits: number[] = [];
  const hotFrom = (serving: number): number => (limits[serving] ??= hotLoad(serving));
  const hotLoad = (serving: number): number =>
    objective.latency === undefined
      ? wanted * serving
      : Math.min(wanted * serving, loadWithin(pod, serving, objective.latency));
  const restSeconds = (load: number, serving: number): number => {
    const root = 1 - Math.sqrt(Math.min(1, load / (serving * capacity)));
    return root <= atRest ? Infinity : 1 / (slotRate * root * root);
  };
  const transient = createTransient();
  const meter: Meter = {
    latency: createLatencyHistogram(pod),
    offered: 0,
    served: 0,
    lost: 0,
    backlogMax: 0,
    idealSeconds: 0,
    shortSeconds: 0,
    hotSeconds: 0,
    transientSeconds: 0,
    isOn: false,
    observe(flow, piece, slope) {
      if (!meter.isOn) return;
      const { serving } = flow;
      const { seconds, loadFrom, loadTo } = piece;
      const offered = ((loadFrom + loadTo) / 2) * seconds;
      const short = areaAbove(piece, wanted * serving) / wanted;
      const hot = piece.isFree ? secondsAbove(piece, hotFrom(serving)) : seconds;
      meter.offered += offered;
      meter.served += piece.served;
      meter.lost += piece.lost;
      meter.backlogMax = Math.max(meter.backlogMax, piece.backlogFrom, piece.backlogTo);
      meter.idealSeconds += offered / wanted;
      meter.shortSeconds += short;
      meter.hotSeconds += hot;
      const load = (loadFrom + loadTo) / 2;
      const isServed = piece.isFree && load > atRest;
      const unknown = transient.move(piece, isServed ? restSeconds(load, serving) : 0, slope);
      meter.transientSeconds += unknown;
      if (unknown === 0) meter.latency.add(piece, serving);
      else if (unknown < seconds) meter.latency.add(restOf(piece, unknown), serving);
      series?.add(flow, piece, { offered, short, hot });
    },
  };
  return meter;
}

type Ends = Pick<QueuePiece, "seconds" | "loadFrom" | "loadTo">;

/** How long a straight line is above a level. */
export function secondsAbove({ seconds, loadFrom, loadTo }: Ends, level: number): number {
  if (loadFrom <= level && loadTo <= level) return 0;
  if (loadFrom > level && loadTo > level) return seconds;
  const [low, high] = loadFrom < loadTo ? [loadFrom, loadTo] : [loadTo, loadFrom];
  return (seconds * (high - level)) / (high - low);
}

/** The area between a straight line and a level, where it is above. */
export function areaAbove(piece: Ends, level: number): number {
  const { seconds, loadFrom, loadTo } = piece;
  if (loadFrom > level && loadTo > level) return ((loadFrom + loadTo) / 2 - level) * seconds;
  return (secondsAbove(piece, level) * (Math.max(loadFrom, loadTo, level) - level)) / 2;
}

/** A load that changes by this part of itself while a queue comes to rest is too fast. */
const transientPart = 0.1;

/** Follows the load from piece to piece. */
interface Transient {
  /**
   * So many seconds at the beginning of the piece are too fast. `restSeconds` is how long the queue takes to come to rest;
   * 0: something waits, and its latency is known.
   */
  move(piece: QueuePiece, restSeconds: number, slope: number): number;
}

/** Before the first piece. */
function createTransient(): Transient {
  let last = NaN;
  /** After a jump, until the queue is at rest again. */
  let left = 0;
  return {
    move({ seconds, loadFrom, loadTo }, restSeconds, slope) {
      const hasJumped = Math.abs(loadFrom - last) > transientPart * last;
      last = loadTo;
      left = hasJumped ? restSeconds : Math.min(left, restSeconds);
      const unknown = Math.min(left, seconds);
      left -= unknown;
      const load = (loadFrom + loadTo) / 2;
      return Math.abs(slope) * restSeconds > transientPart * load ? seconds : unknown;
    },
  };
}

/** What is left of a piece without its first seconds. */
function restOf(piece: QueuePiece, without: number): QueuePiece {
  const { seconds, loadFrom, loadTo, served } = piece;
  const part = 1 - without / seconds;
  return {
    ...piece,
    seconds: seconds * part,
    loadFrom: loadTo + (loadFrom - loadTo) * part,
    served: served * part,
  };
}
