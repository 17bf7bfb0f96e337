// Lists a collection, watches it, and resumes or relists whatever happens.
import { backoffMs, nextTurn, sleep } from "@plimsoll/component-base";
import { ApiError, isExpired, isNotFound, retryAfterOf } from "../client/api-error.ts";
import { elapsedMs, type Instant, instantOf } from "../leases/instant.ts";
import type { KubeObject } from "../objects/object.ts";
import { isOlder } from "../objects/resource-version.ts";
import type { Change } from "./change.ts";
import type { Keeper } from "./keeper.ts";
import { listAll, readVersion } from "./list-all.ts";
import type { PageSize } from "./page-size.ts";
import { replaceAll } from "./replace-all.ts";
import type { WritableStore } from "./store.ts";
import { type WatchEnd, type WatchedEvent, type WatchOptions, watchOnce } from "./watch-once.ts";

/** What is listed and watched, and who is notified. */
export interface ListAndWatchOptions<T extends KubeObject>
  extends Omit<WatchOptions, "resourceVersion" | "onEvent"> {
  readonly pages: PageSize;
  readonly store: WritableStore<T>;
  readonly keeper: Keeper<T>;
  readonly onChange: (change: Change<T>) => void;
  readonly onListed: () => void;
  /** Before `onError`; `inRow` lists have failed since the last one that worked. */
  readonly onListFailed: (error: unknown, inRow: number) => void;
}

/** The least time between the beginnings of two lists, and of two watches. */
const minIntervalMs = 1000;
/** A server that is back is found within this. */
const maxRetryMs = 5000;
/** Lists are expensive: a server that requires new ones repeatedly gets them at growing intervals. */
export const maxRelistMs = 30_000;
const maxRetryAfterMs = 300_000;
/** A watch that lasted so long was sound, whatever ended it. */
const soundWatchMs = 10_000;
/** How often a list older than what was seen is refused before it counts as a server restored from a backup. */
const maxOlderLists = 5;
/** A server that was not heard for longer may have been restored, and have reached the last version again. */
const maxOutageMs = 10_000;
/** The least time between a list and the next one that only brings in what was left out. */
const minRefillMs = 300_000;
/** How many watches from one version may fail before that version is given up. */
const maxFailuresPerVersion = 3;

type State<T extends KubeObject> = ReturnType<typeof newState<T>>;

function newState<T extends KubeObject>(options: ListAndWatchOptions<T>) {
  return {
    options,
    /** The last version seen; what a watch resumes from unless a list is needed. */
    version: undefined as string | undefined,
    needsList: true,
    /** In a row. */
    failures: 0,
    relists: 0,
    olderLists: 0,
    lastListAtMs: Number.NEGATIVE_INFINITY,
    /** When the server was heard last, after the watch has ended; what happened to it since is unknown. */
    heardAt: undefined as Instant | undefined,
  };
}

/** Lists, watches, resumes and relists until the signal aborts. Never rejects. */
export async function listAndWatch<T extends KubeObject>(options: ListAndWatchOptions<T>): Promise<void> {
  const { clock, signal } = options;
  const state = newState(options);
  while (!signal.aborted) {
    if (!state.needsList && state.heardAt !== undefined) await lookForRestore(state, state.heardAt);
    if (signal.aborted) return;
    if (state.needsList) {
      await list(state);
      continue;
    }
    if (state.heardAt !== undefined) continue;
    const startedAtMs = clock.nowMs();
    const resourceVersion = state.version ?? "";
    const end = await watchOnce({ ...options, resourceVersion, onEvent: (event) => apply(state, event) });
    if (signal.aborted) return;
    state.heardAt = end.heardAt;
    await afterWatch(state, end, Math.max(0, clock.nowMs() - startedAtMs));
    if (options.keeper.needsList && sinceListMs(state) >= minRefillMs) state.needsList = true;
  }
}

async function list<T extends KubeObject>(state: State<T>): Promise<void> {
  const { clock, keeper, onChange, onError, onContact, onListed, onListFailed, signal, store } =
    state.options;
  state.lastListAtMs = clock.nowMs();
  try {
    const listing = keeper.beginList();
    const { add } = listing;
    const version = await listAll({ ...state.options, ...keeper, add });
    if (signal.aborted) return;
    refuseOlder(state, version);
    state.failures = 0;
    state.olderLists = 0;
    state.needsList = false;
    state.heardAt = undefined;
    state.version = version;
    await replaceAll(store, listing.objects, { onChange, signal, pause: () => nextTurn(clock) });
    if (signal.aborted) return;
    listing.commit();
    // Until then a part of the store is as old as it was.
    onContact();
    onListed();
  } catch (error) {
    if (signal.aborted) return;
    onListFailed(error, state.failures + 1);
    onError(error);
    await retryLater(state, error, sinceListMs(state));
  }
}

/** Throws when the list is older than what was seen, and has not been so too often yet. */
function refuseOlder<T extends KubeObject>(state: State<T>, listed: string): void {
  if (!isOlder(listed, state.version) || state.olderLists >= maxOlderLists) return;
  state.olderLists += 1;
  const { path } = state.options;
  throw new Error(`${path} returned a list of version ${listed}, older than ${state.version}`);
}

function apply<T extends KubeObject>(state: State<T>, event: WatchedEvent): void {
  const { keeper, onChange } = state.options;
  if (typeof event === "string") {
    state.version = event;
    return;
  }
  state.version = event.resourceVersion ?? state.version;
  for (const change of changesOf(keeper, event)) onChange(change);
}

function changesOf<T extends KubeObject>(
  keeper: Keeper<T>,
  event: Exclude<WatchedEvent, string>,
): readonly Change<T>[] {
  const { object, bytes } = event;
  const kept = object === undefined ? keeper.keepUnread(event) : keeper.keep(object, bytes);
  if (event.type !== "DELETED" || event.name === undefined) return keeper.put(kept);
  return keeper.remove(event.namespace, event.name, "object" in kept ? kept.object : undefined);
}

async function afterWatch<T extends KubeObject>(
  state: State<T>,
  end: WatchEnd,
  livedMs: number,
): Promise<void> {
  const { onError, random } = state.options;
  const isSound = end.sawEvent || livedMs >= soundWatchMs;
  if (isSound) state.failures = 0;
  if (isSound && livedMs >= soundWatchMs) state.relists = 0;
  if (end.error === undefined) {
    await restAfter(state, livedMs, isSound);
    return;
  }
  onError(end.error);
  const isVersionBad = end.isGarbage && state.failures + 1 >= maxFailuresPerVersion;
  if (!isExpired(end.error) && !isRefusal(end.error) && !isVersionBad) {
    await retryLater(state, end.error, livedMs);
    return;
  }
  state.needsList = true;
  const waitMs = state.relists === 0 ? random() * minIntervalMs : relistMs(state, state.relists - 1);
  state.relists += 1;
  await pause(state, Math.max(waitMs, minIntervalMs - sinceListMs(state), retryAfterMs(end.error)));
}

/** The server ends a watch when its time is over; one that ends them at once is not called in a tight loop. */
async function restAfter<T extends KubeObject>(
  state: State<T>,
  livedMs: number,
  isSound: boolean,
): Promise<void> {
  const isCalm = isSound || livedMs >= minIntervalMs;
  if (!isCalm) state.failures += 1;
  await pause(state, isCalm ? minIntervalMs - livedMs : retryMs(state, state.failures));
}

/**
 * A server that was restored from a backup shows an older version until it has reached the last one again, and a watch from
 * there shows nothing of what is different. When it was not heard for long, it may have reached it: only a list shows what is.
 */
async function lookForRestore<T extends KubeObject>(state: State<T>, heardAt: Instant): Promise<void> {
  const { clock, onError, signal } = state.options;
  const isLong = () => elapsedMs(clock, heardAt) > maxOutageMs;
  state.needsList = isLong();
  // Whatever the version is then, the list is needed, and shows it too.
  if (state.needsList) return;
  try {
    const version = await readVersion(state.options);
    state.needsList = isOlder(version, state.version) || isLong();
    state.heardAt = undefined;
  } catch (error) {
    if (signal.aborted) return;
    onError(error);
    state.needsList = isLong();
    await retryLater(state, error, 0);
  }
}

async function retryLater<T extends KubeObject>(
  state: State<T>,
  error: unknown,
  sinceMs: number,
): Promise<void> {
  // A resource that is not there may be installed some day; finding it may take longer than seconds.
  const waitMs = isNotFound(error) ? relistMs(state, state.failures) : retryMs(state, state.failures);
  state.failures += 1;
  await pause(state, Math.max(waitMs, minIntervalMs - sinceMs, retryAfterMs(error)));
  // A server that is overloaded is not away, and needs no more lists.
  if (isOverloaded(error) && state.heardAt !== undefined) state.heardAt = instantOf(state.options.clock);
}

function pause<T extends KubeObject>({ options: { clock, signal } }: State<T>, ms: number): Promise<void> {
  return sleep(clock, ms, signal);
}

function retryMs<T extends KubeObject>({ options: { random } }: State<T>, attempt: number): number {
  return backoffMs(attempt, { baseMs: minIntervalMs, maxMs: maxRetryMs, random });
}

function relistMs<T extends KubeObject>({ options: { random } }: State<T>, attempt: number): number {
  return backoffMs(attempt, { baseMs: 2 * minIntervalMs, maxMs: maxRelistMs, random });
}

function sinceListMs<T extends KubeObject>({ options, lastListAtMs }: State<T>): number {
  // A wall clock may have been set back.
  return Math.max(0, options.clock.nowMs() - lastListAtMs);
}

function retryAfterMs(error: unknown): number {
  return Math.min(retryAfterOf(error) ?? 0, maxRetryAfterMs);
}

function isOverloaded(error: unknown): boolean {
  return error instanceof ApiError && error.code === 429;
}

/** The server refuses this watch for its version, and would refuse it each time. */
function isRefusal(error: unknown): boolean {
  return (
    error instanceof ApiError &&
    error.code >= 400 &&
    error.code < 500 &&
    ![401, 403, 408, 429].includes(error.code)
  );
}
