// The requests of one workload: what arrives, is served, waits and is lost, up to now.
import type { LoadCursor } from "../load/load.ts";
import { advanceQueue, type Queue, type QueueInput, type QueuePiece } from "./queue.ts";

/** Amounts since the beginning. */
export interface Flow {
  nowMs: number;
  /** Pods that take requests. */
  serving: number;
  readonly queue: Queue;
  offered: number;
  served: number;
  lost: number;
  /** ∫ served/serving pods: what a pod counted that served all the time. */
  servedPerPod: number;
  /** Requests that wait or are served, now. */
  inFlight: number;
}

/** What pods can do. */
export interface FlowModel {
  /** Requests per second of one pod. */
  readonly capacity: number;
  readonly serviceTimeMs: number;
  readonly queueLimit: number;
  /** Infinity where no request gives up. */
  readonly timeoutMs: number;
}

/** A flow with what it moves through. */
export interface MovingFlow {
  readonly flow: Flow;
  advance(toMs: number): void;
}

/** Rounding may end a stretch where it begins. */
const minMs = 2 ** -10;
/** Longer stretches are cut, so that a series shows what is in them. */
const maxMs = 15_000;

/** Nothing has arrived yet. `observe` is called for each piece of time, with the pods that served in it. */
export function createFlow(
  model: FlowModel,
  load: LoadCursor,
  startMs: number,
  observe: (flow: Flow, piece: QueuePiece, slope: number) => void,
): MovingFlow {
  const flow: Flow = {
    nowMs: startMs,
    serving: 0,
    queue: { backlog: 0 },
    offered: 0,
    served: 0,
    lost: 0,
    servedPerPod: 0,
    inFlight: 0,
  };
  const piece = newPiece();
  const input: QueueInput = { seconds: 0, load: 0, slope: 0, capacity: 0, limit: 0 };
  const each = (): void => {
    const { seconds, served } = piece;
    flow.offered += ((piece.loadFrom + piece.loadTo) / 2) * seconds;
    flow.served += served;
    flow.lost += piece.lost;
    if (flow.serving > 0) flow.servedPerPod += served / flow.serving;
    observe(flow, piece, input.slope);
  };
  return {
    flow,
    advance(toMs) {
      while (flow.nowMs < toMs) {
        load.moveTo(flow.nowMs);
        const lineMs = Math.min(flow.nowMs + maxMs, Math.max(load.untilMs, flow.nowMs + minMs));
        const untilMs = Math.min(toMs, lineMs);
        input.seconds = (untilMs - flow.nowMs) / 1000;
        input.load = load.perSecond;
        input.slope = load.slope;
        input.capacity = flow.serving * model.capacity;
        input.limit = limitOf(model, input.capacity, input.load);
        advanceQueue(flow.queue, input, piece, each);
        flow.nowMs = untilMs;
        const rate = piece.isFree ? piece.loadTo : input.capacity;
        flow.inFlight = flow.queue.backlog + (rate * model.serviceTimeMs) / 1000;
      }
    },
  };
}

/** What may wait: who comes behind more than this gives up before it is served. */
function limitOf({ queueLimit, timeoutMs }: FlowModel, capacity: number, load: number): number {
  if (timeoutMs === Infinity) return queueLimit;
  // Without a pod, those wait that came within the timeout.
  return Math.min(queueLimit, ((capacity > 0 ? capacity : load) * timeoutMs) / 1000);
}

function newPiece(): QueuePiece {
  return {
    seconds: 0,
    loadFrom: 0,
    loadTo: 0,
    served: 0,
    lost: 0,
    backlogFrom: 0,
    backlogTo: 0,
    backlogArea: 0,
    isFree: true,
  };
}
