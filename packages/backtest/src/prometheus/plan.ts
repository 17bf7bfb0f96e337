// Requests for a long span: one for each day, a few at once, and halves of a day that is too large for the server.
import { cut, type InstantResult, PrometheusError } from "@plimsoll/prometheus";
import type { RecordedSpan } from "../replay/recording.ts";
import { HistoryError, instantText } from "./errors.ts";
import { compactSeries, type Track } from "./track.ts";

const dayMs = 86_400_000;
/** Prometheus refuses a range of more points. */
export const maxSteps = 11_000;
const maxInFlight = 4;
/** A shorter span that is still too large is an error. */
const minSpanMs = 300_000;

/** How far the reading is. */
export interface HistoryProgress {
  readonly requests: number;
  readonly done: number;
  readonly planned: number;
}

export interface RunnerOptions {
  readonly signal: AbortSignal;
  readonly onProgress?: ((progress: HistoryProgress) => void) | undefined;
  /** Of all series together. */
  readonly maxSamples: number;
}

/** A query, of which each part of a span is requested apart. */
export interface SpanQuery {
  readonly promql: (span: RecordedSpan) => string;
  readonly request: (promql: string, span: RecordedSpan) => Promise<InstantResult>;
}

/** Requests of one reading. */
export type Runner = ReturnType<typeof createRunner>;

/** A span in parts of a day at the longest. */
export function daysOf({ fromMs, toMs }: RecordedSpan): readonly RecordedSpan[] {
  const parts: RecordedSpan[] = [];
  for (let at = fromMs; at < toMs; at += dayMs) parts.push({ fromMs: at, toMs: Math.min(at + dayMs, toMs) });
  return parts;
}

/** Runs requests, at most four at once. */
export function createRunner({ signal, onProgress, maxSamples }: RunnerOptions) {
  let [requests, done, planned, samples] = [0, 0, 0, 0];
  const slots = createSlots(maxInFlight);
  const count = (tracks: readonly Track[]): readonly Track[] => {
    samples += tracks.reduce((sum, { atMs }) => sum + atMs.length, 0);
    if (samples <= maxSamples) return tracks;
    const message = `the series have more than ${maxSamples} samples: read a shorter time, or allow more samples`;
    throw new HistoryError("limit", message);
  };
  const once = async (query: SpanQuery, span: RecordedSpan): Promise<readonly Track[]> => {
    const promql = query.promql(span);
    const leave = await slots.enter();
    try {
      signal.throwIfAborted();
      requests++;
      return count(compactSeries(await query.request(promql, span)));
    } catch (error) {
      signal.throwIfAborted();
      throw described(error, promql, span);
    } finally {
      leave();
    }
  };
  const whole = async (query: SpanQuery, span: RecordedSpan): Promise<readonly Track[]> => {
    try {
      return await once(query, span);
    } catch (error) {
      const { fromMs, toMs } = span;
      if (!isTooLarge(error) || toMs - fromMs < 2 * minSpanMs) throw error;
      const middle = Math.floor((fromMs + toMs) / 2);
      const first = await whole(query, { fromMs, toMs: middle });
      return [...first, ...(await whole(query, { fromMs: middle, toMs }))];
    }
  };
  return {
    /** Requests so far. */
    requests: (): number => requests,
    /** The series of each part, in time. */
    async run(query: SpanQuery, parts: readonly RecordedSpan[]): Promise<readonly (readonly Track[])[]> {
      planned += parts.length;
      return await allOrFirstError(
        parts.map(async (part) => {
          const tracks = await whole(query, part);
          done++;
          onProgress?.({ requests, done, planned });
          return tracks;
        }),
      );
    },
  };
}

/** No request is left behind when one has failed. */
async function allOrFirstError<T>(work: readonly Promise<T>[]): Promise<readonly T[]> {
  const results = await Promise.allSettled(work);
  return results.map((result) => {
    if (result.status === "rejected") throw result.reason;
    return result.value;
  });
}

function createSlots(count: number): { enter(): Promise<() => void> } {
  let free = count;
  const waiting: (() => void)[] = [];
  const leave = (): void => {
    const next = waiting.shift();
    if (next === undefined) free++;
    else next();
  };
  return {
    async enter() {
      if (free > 0) free--;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      return leave;
    },
  };
}

/** The error of the client with what was requested. */
function described(error: unknown, promql: string, { fromMs, toMs }: RecordedSpan): unknown {
  if (!(error instanceof PrometheusError)) return error;
  const message = `${error.message}: query ${cut(promql)}, ${instantText(fromMs)} to ${instantText(toMs)}`;
  return new HistoryError("prometheus", message, { cause: error });
}

function isTooLarge(error: unknown): boolean {
  if (!(error instanceof HistoryError) || !(error.cause instanceof PrometheusError)) return false;
  const { kind, message } = error.cause;
  if (kind === "too_large") return true;
  return (kind === "execution" || kind === "bad_data") && /too many|exceeded|limit/i.test(message);
}
