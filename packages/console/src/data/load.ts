// One document that a page shows: read, read again, and kept where a later request fails.
import { type ReadonlySignal, signal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { Failure, Result } from "./client.ts";

/** What is known of a document. */
export interface Loaded<T> {
  readonly value?: T;
  /** Of the newest request; the value may be of an earlier one. */
  readonly failure?: Failure;
  readonly isLoading: boolean;
  /** When the value was read. */
  readonly readMs?: number;
}

export interface Loader<T> {
  readonly state: ReadonlySignal<Loaded<T>>;
  reload(): void;
  end(): void;
}

export function createLoader<T>(
  load: (signal: AbortSignal) => Promise<Result<T>>,
  nowMs: () => number,
): Loader<T> {
  const state = signal<Loaded<T>>({ isLoading: true });
  let abort = new AbortController();
  const reload = (): void => {
    abort.abort();
    abort = new AbortController();
    const { signal } = abort;
    state.value = { ...state.peek(), isLoading: true };
    void read(signal);
  };
  const read = async (signal: AbortSignal): Promise<void> => {
    const result = await load(signal);
    if (signal.aborted) return;
    const { value, readMs } = state.peek();
    state.value = result.ok
      ? { value: result.value, isLoading: false, readMs: nowMs() }
      : {
          ...(value === undefined || readMs === undefined ? {} : { value, readMs }),
          failure: result.failure,
          isLoading: false,
        };
  };
  reload();
  return { state, reload, end: () => abort.abort() };
}

/** When a document is read again while it is shown. */
export interface Rereading {
  readonly everyMs?: number;
  /** Each other value reads it again. */
  readonly source?: string;
}

/** A loader that lives as long as the component and the key. */
export function useLoader<T>(
  key: string,
  load: (signal: AbortSignal) => Promise<Result<T>>,
  { everyMs, source }: Rereading = {},
): Loader<T> {
  const loader = useMemo(() => createLoader(load, () => Date.now()), [key]);
  const shown = useRef({ loader, source });
  useEffect(() => {
    const isOther = shown.current.loader === loader && shown.current.source !== source;
    shown.current = { loader, source };
    if (isOther) loader.reload();
  }, [loader, source]);
  useEffect(() => {
    const timer =
      everyMs === undefined
        ? undefined
        : setInterval(() => {
            if (document.visibilityState === "visible") loader.reload();
          }, everyMs);
    return () => {
      clearInterval(timer);
      loader.end();
    };
  }, [loader, everyMs]);
  return loader;
}

/** For a part that this server does not have. */
export function absent<T>(reason: string): Promise<Result<T>> {
  return Promise.resolve({ ok: false, failure: { status: 404, reason: "NotFound", message: reason } });
}
