// Reads the body of a response: small ones in one piece, large ones series by series, within their limits.
import { JsonItemsError, splitJsonItems } from "@plimsoll/core/json-items";
import { PrometheusError } from "./errors.ts";
import { createItemBatch } from "./item-batch.ts";

/** Memory that large responses in flight share: of those that do not fit together the largest is aborted. */
export interface ResponseMemory {
  /** `giveUp` ends the reading of this response; why is part of the error. */
  enter(giveUp: (why?: string) => void): ResponseShare;
}

/** What one response takes. */
export interface ResponseShare {
  /** Resolves when it may be read on; undefined: at once. */
  readonly turn?: Promise<void> | undefined;
  /** So many bytes more are kept. */
  grow(bytes: number): void;
  leave(): void;
}

/** Bounds what is kept of a response of one namespace. */
export interface ResponseBudget {
  readonly maxBytes: number;
  /** Named in the error. */
  readonly namespace: string;
  /** What it shares with others, instead of the client's own. */
  readonly memory: ResponseMemory | undefined;
}

/** Items of a list that were larger than an item may be. */
export interface LeftOut {
  readonly items: number;
  /** Of the largest. */
  readonly maxBytes: number;
  /** How the first begins: a text that a tenant chose. */
  readonly start: string;
}

/** The list of a response, whose items are read one by one when the response is large. */
export interface ListReading<T> {
  /** Where the list is in the document, such as data.result. */
  readonly path: readonly string[];
  /** A larger item is left out. */
  readonly maxItemBytes: number;
  /** @throws PrometheusError when it isn't one. */
  decode(item: unknown): T;
}

/** The body of a response. */
export interface Body {
  readonly text: string;
  /** The items of the list, which the text lacks then; undefined when the response was small. */
  readonly items?: readonly unknown[];
  readonly leftOut?: LeftOut | undefined;
}

/** What bounds a body. */
export interface BodyLimits {
  /** Of what is kept. */
  readonly maxBytes: number;
  readonly namespace: string | undefined;
  /** A large response enters here. */
  readonly enter: () => ResponseShare | undefined;
  readonly list: ListReading<unknown> | undefined;
  /** Aborts when the request has ended. */
  readonly signal: AbortSignal;
}

type Chunks = AsyncIterable<Uint8Array | string> | null;

/** Up to this size a response is parsed in one piece, and does not count in what large ones share. */
const SMALL_BYTES = 256 * 1024;
/** What a response may have beside its list: warnings, for example. */
const MAX_REST_BYTES = 1024 * 1024;
/** So many times what may be kept is read at most, for the sake of what follows after items that are left out. */
const READ_FACTOR = 8;

/** @throws PrometheusError too_large or bad_response */
export async function readBody(body: Chunks, limits: BodyLimits): Promise<Body> {
  const maxSmallBytes = Math.min(SMALL_BYTES, limits.maxBytes);
  const chunks: Uint8Array[] = [];
  let size = 0;
  let large: LargeBody | undefined;
  try {
    for await (const raw of body ?? []) {
      const chunk = typeof raw === "string" ? Buffer.from(raw) : raw;
      size += chunk.byteLength;
      if (large !== undefined) {
        large.push(chunk);
        continue;
      }
      chunks.push(chunk);
      if (size <= maxSmallBytes) continue;
      large = limits.list === undefined ? createWhole(limits) : createSplit(limits, limits.list);
      for (const early of chunks.splice(0)) large.push(early);
      await unlessAborted(limits.signal, large.turn);
    }
    return large === undefined ? { text: textOf(chunks, size) } : large.end();
  } finally {
    large?.leave();
  }
}

/** `signal`: of this one request. */
function unlessAborted(signal: AbortSignal, turn: Promise<void> | undefined): Promise<void> | undefined {
  if (turn === undefined) return undefined;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    signal.addEventListener("abort", abort);
    if (signal.aborted) abort();
    void turn.then(resolve);
  });
}

/** Of an error response only the start is read. */
export async function readStart(body: Chunks, maxBytes: number): Promise<Body> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const raw of body ?? []) {
    const chunk = typeof raw === "string" ? Buffer.from(raw) : raw;
    size += chunk.byteLength;
    chunks.push(chunk);
    if (size >= maxBytes) break;
  }
  return { text: Buffer.concat(chunks, size).subarray(0, maxBytes).toString("utf8") };
}

function textOf(chunks: readonly Uint8Array[], size: number): string {
  return Buffer.concat(chunks, size).toString("utf8");
}

/** A response that does not end small. Throws PrometheusError when it passes a limit. */
interface LargeBody extends Pick<ResponseShare, "turn"> {
  push(chunk: Uint8Array): void;
  end(): Body;
  leave(): void;
}

function createWhole(limits: BodyLimits): LargeBody {
  const chunks: Uint8Array[] = [];
  const keep = createKeeper(limits);
  return {
    push(chunk) {
      chunks.push(chunk);
      keep.add(chunk.byteLength);
      keep.share();
    },
    end: () => ({ text: textOf(chunks, keep.bytes()) }),
    turn: keep.turn,
    leave: keep.leave,
  };
}

function createSplit(limits: BodyLimits, { path, maxItemBytes, decode }: ListReading<unknown>): LargeBody {
  const keep = createKeeper(limits);
  const maxReadBytes = READ_FACTOR * limits.maxBytes;
  const items: unknown[] = [];
  const batch = createItemBatch((item) => items.push(decode(item)));
  let leftOut: LeftOut | undefined;
  let size = 0;
  const leaveOut = (start: Uint8Array, bytes: number): void => {
    leftOut = {
      items: (leftOut?.items ?? 0) + 1,
      maxBytes: Math.max(leftOut?.maxBytes ?? 0, bytes),
      start: leftOut?.start ?? textOfBytes(start.subarray(0, MAX_START_BYTES)),
    };
  };
  const splitter = splitJsonItems({
    path,
    maxItemBytes,
    maxRestBytes: MAX_REST_BYTES,
    onItem(bytes) {
      if (bytes.byteLength > Math.min(maxItemBytes, usualBytes(keep.bytes(), limits.maxBytes)))
        return leaveOut(bytes, bytes.byteLength);
      keep.add(bytes.byteLength);
      batch.add(bytes);
    },
    onOversized: leaveOut,
  });
  return {
    push(chunk) {
      size += chunk.byteLength;
      if (size > maxReadBytes) throw tooLarge(maxReadBytes, limits.namespace);
      readable(() => splitter.push(chunk));
      keep.share();
    },
    end() {
      const text = textOfBytes(readable(() => splitter.end()));
      batch.end();
      return { text, items, leftOut };
    },
    turn: keep.turn,
    leave: keep.leave,
  };
}

/**
 * The fuller a response is, the smaller are the items that it still takes: the fat ones of one tenant leave room for the
 * usual ones of all others, whichever come first.
 */
function usualBytes(keptBytes: number, maxBytes: number): number {
  if (keptBytes < maxBytes / 4) return Number.POSITIVE_INFINITY;
  return keptBytes < maxBytes / 2 ? 8 * 1024 : 2 * 1024;
}

/** @throws PrometheusError instead of the splitter's error */
function readable<T>(split: () => T): T {
  try {
    return split();
  } catch (error) {
    if (!(error instanceof JsonItemsError)) throw error;
    const kind = error.isTooLarge ? "too_large" : "bad_response";
    throw new PrometheusError(kind, `the response cannot be read: ${error.message}`, { cause: error });
  }
}

const MAX_START_BYTES = 1_024;

function textOfBytes(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}

interface Keeper extends Pick<ResponseShare, "turn"> {
  /** @throws PrometheusError too_large */
  add(bytes: number): void;
  bytes(): number;
  /** Takes its share of what has been added. */
  share(): void;
  leave(): void;
}

/** Counts what is kept, for the response itself and for what it shares with others. */
function createKeeper({ maxBytes, namespace, enter }: BodyLimits): Keeper {
  const share = enter();
  let kept = 0;
  let shared = 0;
  return {
    add(bytes) {
      kept += bytes;
      if (kept > maxBytes) throw tooLarge(maxBytes, namespace);
    },
    bytes: () => kept,
    share() {
      share?.grow(kept - shared);
      shared = kept;
    },
    turn: share?.turn,
    leave: () => share?.leave(),
  };
}

function tooLarge(maxBytes: number, namespace: string | undefined): PrometheusError {
  const whose = namespace === undefined ? "" : ` for the namespace ${namespace}`;
  const message = `the response${whose} is larger than ${shownBytes(maxBytes)}: aggregate the query, for example with sum by, or drop labels with long values`;
  return new PrometheusError("too_large", message);
}

/** In MiB where it is a whole number of them. */
function shownBytes(bytes: number): string {
  const mib = 1024 * 1024;
  return bytes % mib === 0 ? `${bytes / mib} MiB` : `${bytes} bytes`;
}
