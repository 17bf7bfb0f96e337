// The way of a process to the simulated Prometheus: every request takes time, and may fail.
import type { FetchInit, FetchLike, FetchResponse } from "@plimsoll/prometheus";
import type { SimulatedProcess } from "../process/simulated-process.ts";
import type { Random } from "../random/random.ts";
import type { VirtualTime } from "../time/virtual-time.ts";
import type { Evaluation } from "./evaluation-log.ts";
import type { PrometheusFate } from "./faults.ts";

export interface FetchOptions {
  readonly time: VirtualTime;
  readonly random: Random;
  /** How far the wall clock of Prometheus is ahead. */
  readonly aheadMs: () => number;
  readonly fateOf: (random: Random, process: string) => PrometheusFate | undefined;
  /** @returns the body of the response. */
  readonly respond: (url: string, body: string | undefined, evaluation: Evaluation) => string;
}

const minTransitMs = 2;
const maxTransitMs = 6;
const noHeaders = { get: () => null };

export function createFetch(options: FetchOptions, process: SimulatedProcess): FetchLike {
  let count = 0;
  return (url, init) => {
    count += 1;
    return send(options, process, { url, init, number: count });
  };
}

interface Sent {
  readonly url: string;
  readonly init: FetchInit;
  /** Of this run of the process. */
  readonly number: number;
}

function send(options: FetchOptions, process: SimulatedProcess, sent: Sent): Promise<FetchResponse> {
  const { time } = options;
  const { signal } = sent.init;
  const random = options.random.stream(`${process.name}/${process.run}/${sent.number}`);
  const transitMs = random.between(minTransitMs, maxTransitMs);
  const fate = options.fateOf(random, process.name);
  return new Promise((resolve, reject) => {
    let cancel = (): void => {};
    const abort = (): void => {
      cancel();
      reject(signal.reason as Error);
    };
    signal.addEventListener("abort", abort, { once: true });
    const later = (ms: number, run: () => void): void => {
      cancel = time.after(ms, () => process.deliver(run));
    };
    switch (fate?.type) {
      case "silent":
        return;
      case "refused":
        later(transitMs, () => reject(refusedError()));
        return;
      case "status":
        later(transitMs, () => resolve(responseOf(fate.code, "the simulated Prometheus fails")));
        return;
      case "slow":
      case undefined:
        break;
    }
    const evaluation = evaluationOf(process, time.nowMs, options.aheadMs());
    try {
      const body = options.respond(sent.url, sent.init.body, evaluation);
      later(transitMs + (fate?.ms ?? 0), () => {
        evaluation.deliveredAtMs = time.nowMs;
        resolve(responseOf(200, body));
      });
    } catch (error) {
      // The simulation does not know the request. Not a matter of the process that sent it: the run ends.
      time.after(0, () => {
        throw error;
      });
    }
  });
}

function evaluationOf({ name, run, clock }: SimulatedProcess, atMs: number, aheadMs: number): Evaluation {
  const sentAtMs = clock.nowMs();
  return { process: name, run, sentAtMs, atMs, datedMs: atMs + aheadMs, deliveredAtMs: undefined };
}

function responseOf(status: number, text: string): FetchResponse {
  return { status, headers: noHeaders, body: once(text) };
}

async function* once(text: string): AsyncGenerator<string, void, void> {
  yield text;
}

function refusedError(): Error {
  return Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
}
