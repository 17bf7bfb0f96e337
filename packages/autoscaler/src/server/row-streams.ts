// The events of changed rows: one batch a second, made once for all readers of the same scope.
import type { Clock } from "@plimsoll/component-base";
import type { DeletedRow, Resource, StreamQuery, SummaryRow } from "@plimsoll/decisions";
import type { RowChanges, Rows } from "../decisions/rows.ts";
import type { EventIds } from "./event-ids.ts";

/** What one reader may see. */
export interface StreamScope extends StreamQuery {
  readonly resources: ReadonlySet<Resource>;
}

export type RowStreams = ReturnType<typeof createRowStreams>;

export interface RowStreamsDeps {
  readonly rows: Rows;
  readonly ids: EventIds;
  readonly clock: Clock;
}

const batchMs = 1000;
const heartbeatMs = 15_000;

type Batches = ReturnType<typeof createBatches>;

export function createRowStreams({ rows, ids, clock }: RowStreamsDeps) {
  const waiting = new Set<(batches: Batches | undefined) => void>();
  let cancel: (() => void) | undefined;

  function turn(): void {
    cancel = undefined;
    const batches = createBatches(rows, ids.of(rows.version));
    for (const done of waiting) done(batches);
  }

  /** Undefined: the reader is gone. */
  function nextTurn(signal: AbortSignal): Promise<Batches | undefined> {
    if (signal.aborted) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const gone = (): void => done(undefined);
      const done = (batches: Batches | undefined): void => {
        signal.removeEventListener("abort", gone);
        waiting.delete(done);
        if (waiting.size === 0) cancel?.();
        if (waiting.size === 0) cancel = undefined;
        resolve(batches);
      };
      signal.addEventListener("abort", gone);
      waiting.add(done);
      cancel ??= clock.after(batchMs, turn);
    });
  }

  function versionOf(id: string | undefined): number | undefined {
    const version = id === undefined ? undefined : ids.versionOf(id);
    return version === undefined || rows.since(version) === undefined ? undefined : version;
  }

  return {
    /** The id of an event now: a stream that begins with it gets what comes later. */
    lastEventId: (): string => ids.of(rows.version),
    /** Resumes after the event that the reader got last, or says that it has to read the summary again. */
    /** Until its signal. Who reads slowly gets all that is new in one batch. */
    async *subscribe(scope: StreamScope): AsyncIterable<string> {
      const resumed = versionOf(scope.lastEventId);
      let version = resumed ?? rows.version;
      let sentAtMs = clock.nowMs();
      yield `retry: 2000\n\n${resumed === undefined ? event("reset", "{}", ids.of(version)) : ""}`;
      for (;;) {
        const batches = await nextTurn(scope.signal);
        if (batches === undefined) return;
        const changed = batches.textFor(version, scope);
        version = batches.version;
        const text = changed === "" && clock.nowMs() - sentAtMs >= heartbeatMs ? ":\n\n" : changed;
        if (text === "") continue;
        sentAtMs = clock.nowMs();
        yield text;
      }
    },
  };
}

/** The text of each scope and version, made once in a turn. */
function createBatches(rows: Rows, id: string) {
  const changes = new Map<number, RowChanges | undefined>();
  const texts = new Map<string, string>();
  const lines = new Map<SummaryRow, string>();
  return { version: rows.version, textFor };

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
