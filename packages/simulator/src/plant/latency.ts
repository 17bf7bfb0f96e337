// How long requests take while none has to queue for long: formulas of a queue in balance.
import type { PodModel } from "../scenario.ts";
import { podCapacity } from "./capacity.ts";

/** Servers in front of which requests wait, and how fast they are. */
export interface Servers {
  readonly count: number;
  /** Requests per second that one of them serves. */
  readonly rate: number;
  /** Waiting times against those of exponential service times: Allen and Cunneen's correction. */
  readonly variationFactor: number;
  /** How many such queues share the load. */
  readonly queues: number;
}

type QueuePod = Pick<
  PodModel,
  "concurrency" | "serviceTimeMs" | "serviceVariation" | "limits" | "cpuPerRequest" | "balancing"
>;

/** The servers of so many Ready pods. */
export function serversOf(pod: QueuePod, ready: number): Servers {
  const isShared = pod.balancing === "shared";
  return {
    count: isShared ? pod.concurrency * ready : pod.concurrency,
    rate: podCapacity(pod) / pod.concurrency,
    variationFactor: (1 + pod.serviceVariation ** 2) / 2,
    queues: isShared ? 1 : ready,
  };
}

/** The probability that a request waits, with `load` requests at a time in service (Erlang's C). */
export function waitProbability(count: number, load: number): number {
  if (load <= 0) return 0;
  if (load >= count) return 1;
  let inverse = 1;
  for (let server = 1; server <= count; server++) {
    inverse = 1 + (inverse * server) / load;
    // So seldom that it is zero, and soon no number.
    if (inverse > 1e300) return 0;
  }
  const blocked = 1 / inverse;
  return blocked / (1 - (load / count) * (1 - blocked));
}

/** The wait that this part of the requests does not exceed, in milliseconds. */
export function waitQuantileMs(servers: Servers, perSecond: number, quantile: number): number {
  const { count, rate, variationFactor, queues } = servers;
  const arriving = perSecond / queues;
  const spare = count * rate - arriving;
  if (spare <= 0) return Infinity;
  const waits = waitProbability(count, arriving / rate);
  return Math.max(0, Math.log(waits / (1 - quantile)) / spare) * variationFactor * 1000;
}

/** The part of the requests that waits, of which e^(−perMs × t) waits longer than t milliseconds. */
export function waitOf(
  servers: Servers,
  perSecond: number,
): { readonly waits: number; readonly perMs: number } {
  const { count, rate, variationFactor, queues } = servers;
  const arriving = perSecond / queues;
  const spare = count * rate - arriving;
  if (spare <= 0) return { waits: 1, perMs: 0 };
  return { waits: waitProbability(count, arriving / rate), perMs: spare / 1000 / variationFactor };
}

const bisections = 40;

/** The highest load at which the quantile of the latency is within a limit; 0 where the service itself takes longer. */
export function loadWithin(
  pod: QueuePod,
  ready: number,
  { quantile, withinMs }: { readonly quantile: number; readonly withinMs: number },
): number {
  const capacity = podCapacity(pod) * ready;
  if (ready === 0 || pod.serviceTimeMs > withinMs) return 0;
  const servers = serversOf(pod, ready);
  let [low, high] = [0, capacity];
  for (let step = 0; step < bisections; step++) {
    const middle = (low + high) / 2;
    const isWithin = pod.serviceTimeMs + waitQuantileMs(servers, middle, quantile) <= withinMs;
    if (isWithin) low = middle;
    else high = middle;
  }
  return low;
}
