import { ApiError, isExpired, isNotFound } from "../api-error.ts";
import { backoffMs } from "../backoff.ts";
import type { KubeClient } from "../client.ts";
import type { Clock } from "../clock.ts";
import type { KubeObject } from "../object.ts";
import { sleep } from "../sleep.ts";
import type { WritableStore } from "../store.ts";
import type { Change } from "./change.ts";
import { isOlder } from "./is-older.ts";
import { type Listed, listAll } from "./list-all.ts";
import { putOne, replaceAll } from "./replace-all.ts";
import { type WatchEnd, watchOnce } from "./watch-once.ts";

export interface StepOptions<T extends KubeObject> {
  readonly client: KubeClient;
  readonly path: string;
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly project: (raw: KubeObject) => T;
  readonly store: WritableStore<T>;
  readonly clock: Clock;
  readonly random: () => number;
  readonly signal: AbortSignal;
  readonly pageSize: number;
  readonly silenceLimitMs: number;
  readonly watchMs: number;
  readonly onError: (error: unknown) => void;
  readonly onChange: (change: Change<T>) => void;
  readonly onListed: () => void;
}

/** The least time between the beginnings of two lists, and of two watches. */
const paceMs = 1000;
/** A server that comes back is noticed within this. */
const longestRetryMs = 5000;
/** Lists are dear: a server that keeps asking for new ones gets them more and more rarely. */
const longestRelistMs = 30_000;
const longestRetryAfterMs = 300_000;
/** A watch that lasted so long was sound, whatever ended it. */
const soundWatchMs = 10_000;
/** How often a list older than what was seen is refused before it counts as a server restored from a backup. */
const olderListsRefused = 5;
/** How many watches from one version may fail before that version is given up. */
const failuresPerVersion = 3;

/** Lists, watches, resumes and relists until the signal aborts. Never rejects. */
export async function keepInStep<T extends KubeObject>(o: StepOptions<T>): Promise<void> {
  /** The last version seen; what a watch resumes from unless a list is due. */
  let version: string | undefined;
  let listDue = true;
  let failures = 0;
  let relists = 0;
  let olderLists = 0;
  let lastListAtMs = Number.NEGATIVE_INFINITY;

  while (!o.signal.aborted) {
    if (listDue) {
      lastListAtMs = o.clock.nowMs();
      const listed = await list();
      if (o.signal.aborted) return;
      if (listed.ok) {
        failures = 0;
        olderLists = 0;
        listDue = false;
        version = listed.value.resourceVersion;
        for (const change of replaceAll(o.store, listed.value.objects)) o.onChange(change);
        o.onListed();
      } else {
        await retryLater(listed.error, sinceListMs());
      }
      continue;
    }
    const startedAtMs = o.clock.nowMs();
    const end = await watchOnce({ ...o, resourceVersion: version ?? "", onEvent });
    if (o.signal.aborted) return;
    await afterWatch(end, Math.max(0, o.clock.nowMs() - startedAtMs));
  }

  async function list(): Promise<
    { readonly ok: true; readonly value: Listed<T> } | { readonly ok: false; readonly error: unknown }
  > {
    try {
      const value = await listAll({ ...o, keep });
      if (
        version !== undefined &&
        isOlder(value.resourceVersion, version) &&
        olderLists < olderListsRefused
      ) {
        olderLists += 1;
        const text = `${o.path} answered with a list of version ${value.resourceVersion}, older than ${version}`;
        return { ok: false, error: new Error(text) };
      }
      return { ok: true, value };
    } catch (error) {
      return { ok: false, error };
    }
  }

  function onEvent(event: { type: "ADDED" | "MODIFIED" | "DELETED"; object: KubeObject } | string): void {
    if (typeof event === "string") {
      version = event;
      return;
    }
    const kept = keep(event.object);
    version = event.object.metadata.resourceVersion;
    if (event.type === "DELETED") {
      const { namespace, name } = event.object.metadata;
      const previous = o.store.delete(namespace, name);
      if (previous !== undefined) o.onChange({ type: "deleted", object: kept ?? previous, previous });
    } else if (kept !== undefined) {
      for (const change of putOne(o.store, kept)) o.onChange(change);
    }
  }

  function keep(raw: KubeObject): T | undefined {
    try {
      return o.project(raw);
    } catch (error) {
      o.onError(error);
      // As it was before, so that a list does not take it for deleted.
      return o.store.get(raw.metadata.namespace, raw.metadata.name);
    }
  }

  async function afterWatch(end: WatchEnd, livedMs: number): Promise<void> {
    const isSound = end.sawEvent || livedMs >= soundWatchMs;
    if (isSound) failures = 0;
    if (isSound && livedMs >= soundWatchMs) relists = 0;
    if (end.error === undefined) {
      // The server ends a watch when its time is over; one that ends them at once is not asked in a tight loop.
      const isCalm = isSound || livedMs >= paceMs;
      if (!isCalm) failures += 1;
      await sleep(o.clock, isCalm ? paceMs - livedMs : retryMs(failures), o.signal);
      return;
    }
    o.onError(end.error);
    if (
      isExpired(end.error) ||
      isRefusal(end.error) ||
      (end.isGarbage && failures + 1 >= failuresPerVersion)
    ) {
      listDue = true;
      const waitMs = relists === 0 ? o.random() * paceMs : relistMs(relists - 1);
      relists += 1;
      await sleep(o.clock, Math.max(waitMs, paceMs - sinceListMs(), retryAfterMs(end.error)), o.signal);
      return;
    }
    await retryLater(end.error, livedMs, false);
  }

  async function retryLater(error: unknown, sinceMs: number, tell = true): Promise<void> {
    if (tell) o.onError(error);
    // A resource that is not there may be installed some day: nothing that has to be noticed within seconds.
    const waitMs = isNotFound(error) ? relistMs(failures) : retryMs(failures);
    failures += 1;
    await sleep(o.clock, Math.max(waitMs, paceMs - sinceMs, retryAfterMs(error)), o.signal);
  }

  function retryMs(attempt: number): number {
    return backoffMs(attempt, { baseMs: paceMs, maxMs: longestRetryMs, random: o.random });
  }

  function relistMs(attempt: number): number {
    return backoffMs(attempt, { baseMs: 2 * paceMs, maxMs: longestRelistMs, random: o.random });
  }

  function sinceListMs(): number {
    // A wall clock may have been set back.
    return Math.max(0, o.clock.nowMs() - lastListAtMs);
  }
}

function retryAfterMs(error: unknown): number {
  return error instanceof ApiError ? Math.min(error.retryAfterMs ?? 0, longestRetryAfterMs) : 0;
}

/** The server will not serve this watch, however often it is asked: the version does not please it. */
function isRefusal(error: unknown): boolean {
  return (
    error instanceof ApiError &&
    error.code >= 400 &&
    error.code < 500 &&
    ![401, 403, 408, 429].includes(error.code)
  );
}
