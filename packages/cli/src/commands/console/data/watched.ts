// Data of an autoscaler, with a note of when it was last heard of, and of what may mean that it is gone.
import type { Clock } from "@plimsoll/component-base";
import { ApiError, ConnectionError } from "@plimsoll/kube";
import type { DecisionData } from "./source.ts";

export interface Watched {
  readonly data: DecisionData;
  /** It should be asked whether it is still there. */
  isSuspect(): boolean;
  /** Since it was last heard of. */
  silentMs(): number;
  heard(): void;
}

/** Its stream sends something every 15 s, and a page without one asks as often. */
const maxSilentMs = 30_000;

export function watched(data: DecisionData, clock: Pick<Clock, "nowMs">): Watched {
  let heardMs = clock.nowMs();
  let hasFailed = false;
  const heard = (): void => {
    heardMs = clock.nowMs();
    hasFailed = false;
  };
  const failed = (error: unknown): void => {
    if (isGone(error)) hasFailed = true;
    // A refusal is an answer.
    else if (error instanceof ApiError) heard();
  };
  const seen = async <T>(read: () => Promise<T>): Promise<T> => {
    try {
      const value = await read();
      heard();
      return value;
    } catch (error) {
      failed(error);
      throw error;
    }
  };
  async function* parts<T>(stream: AsyncIterable<T>): AsyncGenerator<T> {
    try {
      for await (const part of stream) {
        heard();
        yield part;
      }
      // Only an autoscaler that stops ends a stream.
      hasFailed = true;
    } catch (error) {
      failed(error);
      throw error;
    }
  }
  const { subscribe } = data;
  return {
    data: {
      ...data,
      rows: (...asked) => seen(() => data.rows(...asked)),
      decisions: (...asked) => seen(() => data.decisions(...asked)),
      record: (...asked) => seen(() => data.record(...asked)),
      shadow: () => seen(() => data.shadow()),
      ...(subscribe === undefined
        ? {}
        : { subscribe: async (query) => parts(await seen(() => subscribe(query))) }),
    },
    isSuspect: () => hasFailed || clock.nowMs() - heardMs > maxSilentMs,
    silentMs: () => clock.nowMs() - heardMs,
    heard,
  };
}

/** No process, none that has the lease, or a connection that ended within. */
function isGone(error: unknown): boolean {
  if (error instanceof ConnectionError) return error.kind !== "aborted";
  return error instanceof ApiError && (error.code === 502 || error.code === 503 || error.code === 504);
}
