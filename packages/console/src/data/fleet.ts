// The rows of all objects: read page by page, then kept up to date by the stream, or by polling where there is none.

import {
  createEventParser,
  type DeletedRow,
  keyOf,
  paths,
  type ServerEvent,
  type SummaryPage,
  type SummaryRow,
  type SummarySort,
} from "@plimsoll/decisions";
import { batch, type ReadonlySignal, signal } from "@preact/signals";
import type { Client, Failure } from "./client.ts";
import type { Clock } from "./clock.ts";

/** "reading": the first page is on its way. "live": the stream is open. "polling": it is not, and the summary is read again. */
export type FleetState = "reading" | "live" | "polling" | "failed";

/** All rows of a scope at one moment. */
export interface FleetRows {
  readonly rows: ReadonlyMap<string, SummaryRow>;
  /** Of the server: rows may be on their way. */
  readonly total: number;
  /** Grows with each change, so that a view can be derived once for each. */
  readonly version: number;
  readonly notes: readonly string[];
}

export interface Fleet {
  readonly data: ReadonlySignal<FleetRows>;
  readonly state: ReadonlySignal<FleetState>;
  /** Of the newest request that failed; undefined after one that did not. */
  readonly failure: ReadonlySignal<Failure | undefined>;
  /** When the server was last heard of. */
  readonly heardMs: ReadonlySignal<number>;
  /** Reads the rows of a namespace, or of all; ends what was read before. */
  show(namespace: string | undefined, sort: SummarySort): void;
  /** After a token was given, or on demand. */
  retry(): void;
}

export interface FleetDeps {
  readonly client: Client;
  readonly clock: Clock;
  /** Whether there is a stream; false: the summary is polled. */
  readonly hasStream: () => boolean;
}

/** The first page is small, so that rows appear soon. */
const firstLimit = 500;
const laterLimit = 2_500;
const pollMs = 15_000;
/** A stream sends something every 15 s. */
const silentMs = 45_000;
const empty: FleetRows = { rows: new Map(), total: 0, version: 0, notes: [] };

type Store = ReturnType<typeof newStore>;

function newStore(deps: FleetDeps) {
  return {
    ...deps,
    data: signal(empty),
    state: signal<FleetState>("reading"),
    failure: signal<Failure | undefined>(undefined),
    heardMs: signal(deps.clock.nowMs()),
    scope: undefined as Scope | undefined,
  };
}

interface Scope {
  readonly namespace: string | undefined;
  readonly sort: SummarySort;
  readonly abort: AbortController;
}

export function createFleet(deps: FleetDeps): Fleet {
  const store = newStore(deps);
  const begin = (namespace: string | undefined, sort: SummarySort): void => {
    store.scope?.abort.abort();
    const scope = { namespace, sort, abort: new AbortController() };
    store.scope = scope;
    store.state.value = "reading";
    void follow(store, scope);
  };
  return {
    data: store.data,
    state: store.state,
    failure: store.failure,
    heardMs: store.heardMs,
    show(namespace, sort) {
      const { scope } = store;
      if (scope !== undefined && scope.namespace === namespace) return;
      store.data.value = empty;
      begin(namespace, sort);
    },
    retry() {
      if (store.scope !== undefined) begin(store.scope.namespace, store.scope.sort);
    },
  };
}

/** Reads and then follows the changes, until its scope ends. */
async function follow(store: Store, scope: Scope): Promise<void> {
  const { signal } = scope.abort;
  while (!signal.aborted) {
    const eventId = await readAll(store, scope);
    if (eventId === undefined) {
      await pause(store, pollMs, signal);
      continue;
    }
    await followStream(store, scope, eventId);
    if (signal.aborted) return;
    store.state.value = "polling";
    await pause(store, pollMs, signal);
  }
}

function pause({ clock }: Store, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      cancel();
      signal.removeEventListener("abort", end);
      resolve();
    };
    const cancel = clock.after(ms, end);
    signal.addEventListener("abort", end);
  });
}

/** All pages. The id of the event from which the stream goes on, "" without one; undefined: a page failed. */
async function readAll(store: Store, scope: Scope): Promise<string | undefined> {
  const { client, data, failure, state } = store;
  const { namespace, sort, abort } = scope;
  const seen = new Set<string>();
  let next: string | undefined;
  let eventId: string | undefined;
  do {
    const limit = next === undefined ? firstLimit : laterLimit;
    const query = { namespace, sort, limit, continue: next };
    const page = await client.get<SummaryPage>(paths.summary(query), { signal: abort.signal });
    if (abort.signal.aborted) return undefined;
    if (!page.ok) {
      failure.value = page.failure;
      state.value = "failed";
      return undefined;
    }
    const { value } = page;
    eventId ??= value.lastEventId ?? "";
    next = value.continue;
    for (const row of value.items) seen.add(keyOf(row));
    batch(() => {
      failure.value = undefined;
      heard(store);
      if (state.value === "failed") state.value = "reading";
      const rows = withRows(data.value.rows, value.items, next === undefined ? seen : undefined);
      data.value = { rows, total: value.total, version: data.value.version + 1, notes: value.notes ?? [] };
    });
  } while (next !== undefined);
  if (state.value === "reading") state.value = "polling";
  return eventId;
}

/** `all`: the keys that there are; the others are gone. */
function withRows(
  before: ReadonlyMap<string, SummaryRow>,
  changed: readonly SummaryRow[],
  all: ReadonlySet<string> | undefined,
): ReadonlyMap<string, SummaryRow> {
  const rows = new Map(before);
  for (const row of changed) rows.set(keyOf(row), row);
  if (all !== undefined) for (const key of rows.keys()) if (!all.has(key)) rows.delete(key);
  return rows;
}

/** Until the stream ends, is reset, or is silent for too long. */
async function followStream(store: Store, scope: Scope, eventId: string): Promise<void> {
  if (!store.hasStream()) return;
  const stream = new AbortController();
  const end = () => stream.abort();
  scope.abort.signal.addEventListener("abort", end);
  let cancel = store.clock.after(silentMs, end);
  // A request that is aborted never resolves.
  const aborted = new Promise<undefined>((resolve) => {
    stream.signal.addEventListener("abort", () => resolve(undefined));
  });
  try {
    const opened = await Promise.race([
      aborted,
      store.client.open(paths.stream(scope.namespace), {
        signal: stream.signal,
        ...(eventId === "" ? {} : { headers: { "Last-Event-ID": eventId } }),
      }),
    ]);
    if (opened?.ok !== true) return;
    const parse = createEventParser();
    const decoder = new TextDecoder();
    for await (const bytes of opened.value) {
      cancel();
      cancel = store.clock.after(silentMs, end);
      const events = parse(decoder.decode(bytes, { stream: true }));
      if (scope.abort.signal.aborted || isReset(events, eventId)) return;
      batch(() => {
        heard(store);
        store.state.value = "live";
        apply(store, events);
      });
    }
  } catch {
    // It ended; the summary is read again.
  } finally {
    cancel();
    scope.abort.signal.removeEventListener("abort", end);
    stream.abort();
  }
}

/** A stream that was opened without an id begins with a reset, which says nothing new. */
function isReset(events: readonly ServerEvent[], eventId: string): boolean {
  return eventId !== "" && events.some(({ event }) => event === "reset");
}

function heard(store: Store): void {
  store.heardMs.value = store.clock.nowMs();
}

/** One new map for all events that came together. */
function apply({ data }: Store, events: readonly ServerEvent[]): void {
  const rows = new Map(data.value.rows);
  let isChanged = false;
  for (const { event, data: text } of events) {
    if (event !== "rows" && event !== "deleted") continue;
    isChanged = true;
    const list = JSON.parse(text) as readonly (SummaryRow & DeletedRow)[];
    for (const row of list) {
      const key = keyOf(row);
      if (event === "rows") rows.set(key, row);
      else if (rows.get(key)?.uid === row.uid) rows.delete(key);
    }
  }
  if (!isChanged) return;
  const { version, total, notes } = data.value;
  const { size } = rows;
  data.value = {
    rows,
    total: Math.max(size, total - Math.max(0, data.value.rows.size - size)),
    version: version + 1,
    notes,
  };
}
