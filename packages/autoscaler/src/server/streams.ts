// The event stream of changed rows: one batch a second, to a bounded number of readers that keep up.
import type { Clock } from "@plimsoll/component-base";
import type { Response } from "express";
import type { DecisionResource } from "../decisions/logged-decision.ts";
import type { DeletedRow, RowChanges, Rows } from "../decisions/rows.ts";
import type { SummaryRow } from "../decisions/summary-row.ts";
import type { EventIds } from "./event-ids.ts";
import type { Failure } from "./status.ts";

/** What one reader may see. */
export interface StreamScope {
  /** Undefined: all. */
  readonly namespace: string | undefined;
  readonly resources: ReadonlySet<DecisionResource>;
}

export interface StreamRequest {
  readonly response: Response;
  /** Undefined: another process sends the events, and this one counts the reader and checks its rights. */
  readonly scope: StreamScope | undefined;
  /** The user, for the limit of one; empty where callers are not distinguished. */
  readonly caller: string;
  readonly lastEventId: string | undefined;
  /** Whether the reader may still see all of the scope. */
  readonly isAllowed: () => Promise<boolean>;
}

export interface Streams {
  readonly size: number;
  /** Takes the response over; a Failure when there are too many. */
  open(stream: StreamRequest): Failure | undefined;
  /** The id of an event now: a stream that begins with it gets what comes later. */
  lastEventId(): string;
  /** Ends all: who wants more connects again, maybe to another process. */
  endAll(): void;
}

export interface StreamsDeps {
  readonly rows: Rows;
  readonly ids: EventIds;
  readonly clock: Clock;
  /** A reader was disconnected because it did not keep up. */
  readonly onSlow: () => void;
}

const batchMs = 1000;
const maxStreams = 100;
/** One user must not take the streams of all others. */
const maxPerCaller = 20;
const recheckMs = 60_000;
const heartbeatMs = 15_000;
/** A reader whose connection takes nothing for so long is slow. */
const maxBlockedMs = 10_000;

interface Open extends StreamRequest {
  /** Changes up to this version were sent. */
  version: number;
  sentAtMs: number;
  checkedAtMs: number;
  isChecking: boolean;
  blockedSinceMs: number | undefined;
}

type State = ReturnType<typeof newState>;

function newState(deps: StreamsDeps) {
  return { ...deps, open: new Set<Open>(), cancel: undefined as (() => void) | undefined };
}

export function createStreams(deps: StreamsDeps): Streams {
  const state = newState(deps);
  const { open, rows, clock } = state;
  return {
    get size() {
      return open.size;
    },
    open(request) {
      const { caller, response } = request;
      // Its end, which frees the place, was before.
      if (response.destroyed) return undefined;
      const own = caller === "" ? 0 : [...open].filter((stream) => stream.caller === caller).length;
      if (open.size >= maxStreams || own >= maxPerCaller) return tooMany(open.size >= maxStreams);
      const stream = begin(state, request);
      open.add(stream);
      response.once("close", () => leave(state, stream));
      state.cancel ??= clock.after(batchMs, () => turn(state));
      return undefined;
    },
    lastEventId: () => deps.ids.of(rows.version),
    endAll() {
      for (const stream of open) end(state, stream);
    },
  };
}

function leave(state: State, stream: Open): void {
  state.open.delete(stream);
  if (state.open.size === 0) stopTimer(state);
}

/** Nothing may be written after it; a reader that is behind has a while to take what waits for it. */
function end(state: State, stream: Open): void {
  leave(state, stream);
  const { response } = stream;
  response.once(
    "close",
    state.clock.after(maxBlockedMs, () => response.destroy()),
  );
  response.end();
}

function stopTimer(state: State): void {
  state.cancel?.();
  state.cancel = undefined;
}

/** Resumes after the event that the reader got last, or says that it has to read the summary again. */
function begin(state: State, request: StreamRequest): Open {
  const { rows, clock } = state;
  const { response, lastEventId, scope } = request;
  const nowMs = clock.nowMs();
  const resumed = versionOf(state, lastEventId);
  const version = resumed ?? rows.version;
  if (scope !== undefined) {
    response.status(200);
    response.setHeader("Content-Type", "text/event-stream; charset=utf-8");
    response.setHeader("Cache-Control", "no-cache, no-transform");
    response.setHeader("X-Accel-Buffering", "no");
    response.flushHeaders();
    response.write("retry: 2000\n\n");
    if (resumed === undefined) response.write(event("reset", "{}", state.ids.of(version)));
  }
  return {
    ...request,
    version,
    sentAtMs: nowMs,
    checkedAtMs: nowMs,
    isChecking: false,
    blockedSinceMs: undefined,
  };
}

function versionOf({ ids, rows }: State, id: string | undefined): number | undefined {
  const version = id === undefined ? undefined : ids.versionOf(id);
  return version === undefined || rows.since(version) === undefined ? undefined : version;
}

/** Readers of one scope who have the same get the same text. */
function turn(state: State): void {
  const { rows, clock, open } = state;
  state.cancel = clock.after(batchMs, () => turn(state));
  const nowMs = clock.nowMs();
  const { version } = rows;
  const batches = createBatches(rows, state.ids.of(version));
  for (const stream of open) {
    const { scope } = stream;
    void recheck(state, stream, nowMs);
    if (isBlocked(state, stream, nowMs) || scope === undefined) continue;
    const text = batches.textFor(stream.version, scope);
    stream.version = version;
    if (text !== "") send(stream, text, nowMs);
    else if (nowMs - stream.sentAtMs >= heartbeatMs) send(stream, ":\n\n", nowMs);
  }
}

/** Nothing is queued for a reader that has not taken what it was sent: it gets all that is new in one batch later. */
function isBlocked({ onSlow }: State, stream: Open, nowMs: number): boolean {
  if (!stream.response.writableNeedDrain) {
    stream.blockedSinceMs = undefined;
    return false;
  }
  stream.blockedSinceMs ??= nowMs;
  if (nowMs - stream.blockedSinceMs < maxBlockedMs) return true;
  onSlow();
  stream.response.destroy();
  return true;
}

/** Never rejects: a review that fails ends the stream. */
async function recheck(state: State, stream: Open, nowMs: number): Promise<void> {
  if (stream.isChecking || nowMs - stream.checkedAtMs < recheckMs) return;
  stream.isChecking = true;
  stream.checkedAtMs = nowMs;
  let isAllowed = false;
  try {
    isAllowed = await stream.isAllowed();
  } catch {
    // Not allowed.
  }
  stream.isChecking = false;
  if (!isAllowed && state.open.has(stream)) end(state, stream);
}

function send(stream: Open, text: string, nowMs: number): void {
  stream.sentAtMs = nowMs;
  stream.response.write(text);
}

function tooMany(isAll: boolean): Failure {
  const message = isAll
    ? `there are ${maxStreams} streams already; read the summary instead`
    : `you have ${maxPerCaller} streams already; read the summary instead`;
  return { code: 429, reason: "TooManyRequests", message };
}

/** The text of each scope and version, made once in a turn. */
function createBatches(rows: Rows, id: string) {
  const changes = new Map<number, RowChanges | undefined>();
  const texts = new Map<string, string>();
  const lines = new Map<SummaryRow, string>();
  return { textFor };

  function textFor(version: number, scope: StreamScope): string {
    const key = `${version} ${scope.namespace ?? "*"} ${[...scope.resources].sort().join(",")}`;
    const known = texts.get(key);
    if (known !== undefined) return known;
    if (!changes.has(version)) changes.set(version, rows.since(version));
    const changed = changes.get(version);
    const text = changed === undefined ? event("reset", "{}", id) : textOf(changed, scope);
    texts.set(key, text);
    return text;
  }

  /** Deletions first: an object of the same name may have come after. The id stands at the end of the batch. */
  function textOf(changed: RowChanges, scope: StreamScope): string {
    const isSeen = ({ namespace, resource }: DeletedRow): boolean =>
      (scope.namespace === undefined || scope.namespace === namespace) && scope.resources.has(resource);
    const deleted = changed.deleted.filter(isSeen);
    const changedRows = changed.rows.filter(isSeen).map(lineOf);
    const isLast = changedRows.length === 0;
    return (
      (deleted.length === 0 ? "" : event("deleted", JSON.stringify(deleted), isLast ? id : undefined)) +
      (isLast ? "" : event("rows", `[${changedRows.join(",")}]`, id))
    );
  }

  function lineOf(row: SummaryRow): string {
    const known = lines.get(row) ?? JSON.stringify(row);
    lines.set(row, known);
    return known;
  }
}

/** JSON has no line feed, so the data is one line. */
function event(name: string, data: string, id?: string): string {
  return `event: ${name}\n${id === undefined ? "" : `id: ${id}\n`}data: ${data}\n\n`;
}
