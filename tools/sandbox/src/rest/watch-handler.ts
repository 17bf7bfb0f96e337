// Serves watches.
import { badRequest, expired, StatusError, statusBody } from "../errors/status-error.ts";
import type { StoreEvent } from "../storage/event-history.ts";
import type { StoredObject } from "../storage/stored-object.ts";
import type { ApiContext, ApiRequest, StreamResponse, StreamSink } from "./api-context.ts";
import { negotiate } from "./negotiate.ts";
import { objectText } from "./object-text.ts";
import { parseVersion, servedObject, type Target, tooLarge } from "./read-handlers.ts";
import { type Selection, selectionOf } from "./selection.ts";
import { partialMetadata, renderTable } from "./table.ts";

const defaultTimeoutMs = 30 * 60 * 1000;

/** A stream of changes, from a version on, from the present state on, or with the state first (sendInitialEvents). */
export function watchObjects(
  context: ApiContext,
  target: Target,
  request: ApiRequest,
  name?: string,
): StreamResponse {
  const { query } = request;
  const initial = query.get("sendInitialEvents") === "true";
  if (initial && query.get("resourceVersionMatch") !== "NotOlderThan") {
    throw new StatusError({
      code: 422,
      reason: "Invalid",
      message:
        'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
    });
  }
  const matches = selectionOf(target.definition, query, name);
  const from = query.get("resourceVersion") ?? "";
  const since = from === "" || from === "0" ? undefined : parseVersion(from);
  const timeout = Number(query.get("timeoutSeconds") ?? 0);
  if (Number.isNaN(timeout)) throw badRequest("timeoutSeconds must be a number");
  const frames = frameMaker(context, target, request);
  return {
    type: "stream",
    run: (sink) => {
      const session: Session = { context, target, matches, sink, frames };
      const started =
        since === undefined || initial ? sendState(session, initial, since) : sendSince(session, since);
      if (!started) return;
      follow(session, {
        since: since ?? 0,
        bookmarks: query.get("allowWatchBookmarks") === "true",
        timeoutMs: timeout > 0 ? timeout * 1000 : defaultTimeoutMs,
      });
    },
  };
}

interface Session {
  readonly context: ApiContext;
  readonly target: Target;
  readonly matches: Selection;
  readonly sink: StreamSink;
  readonly frames: FrameMaker;
}

function sendState(session: Session, endMark: boolean, since = 0): boolean {
  const { context, target, matches, sink, frames } = session;
  const { definition, namespace } = target;
  const { cache } = context;
  if (endMark && since > cache.version) return fail(sink, tooLarge(since, cache.version));
  for (const object of cache.list(definition.storage, definition.namespaced ? namespace : undefined)) {
    if (matches(object)) sink.write(frames.change("ADDED", object));
  }
  if (endMark) sink.write(frames.bookmark(cache.version, { "k8s.io/initial-events-end": "true" }));
  return true;
}

function sendSince(session: Session, since: number): boolean {
  const { cache } = session.context;
  const events = cache.eventsSince(session.target.definition.storage, since);
  if (events === undefined)
    return fail(session.sink, expired(`too old resource version: ${since} (${cache.version})`));
  for (const event of events) sendEvent(session, event);
  return true;
}

// A version out of reach is an ERROR event in the stream, not a failed request, as upstream's watch cache does.
function fail(sink: StreamSink, error: StatusError): false {
  sink.write(frameText("ERROR", JSON.stringify(statusBody(error))));
  sink.finish();
  return false;
}

/**
 * A version that the cache has not reached is waited for: nothing up to it is sent.
 * @upstream apiserver/pkg/storage/cacher/cache_watcher.go#process
 */
function follow(session: Session, options: { since: number; bookmarks: boolean; timeoutMs: number }): void {
  const { context, target, sink, frames } = session;
  const { cache } = context;
  const unsubscribe = cache.subscribe((event) => {
    if (event.resource === target.definition.storage && event.version > options.since)
      sendEvent(session, event);
  });
  const bookmark = (): void => {
    if (options.bookmarks && cache.version >= options.since)
      sink.write(frames.bookmark(cache.version, undefined));
  };
  let cancelBookmark = (): void => {};
  const scheduleBookmark = (): void => {
    cancelBookmark = context.clock.after(context.bookmarkIntervalMs, () => {
      bookmark();
      scheduleBookmark();
    });
  };
  if (options.bookmarks) scheduleBookmark();
  const cancelTimeout = context.clock.after(options.timeoutMs, () => {
    bookmark();
    sink.finish();
  });
  const stop = (): void => {
    unsubscribe();
    cancelBookmark();
    cancelTimeout();
  };
  if (sink.signal.aborted) stop();
  else sink.signal.addEventListener("abort", stop, { once: true });
}

/** An object that starts to match appears, one that no longer matches disappears. */
function sendEvent(session: Session, event: StoreEvent): void {
  const { target, matches, sink, frames } = session;
  const { definition, namespace } = target;
  if (definition.namespaced && namespace !== undefined && event.object.metadata.namespace !== namespace)
    return;
  const before = event.previous !== undefined && matches(event.previous);
  const after = event.type !== "DELETED" && matches(event.object);
  if (!before && !after) return;
  if (!after) sink.write(frames.change("DELETED", event.object));
  else sink.write(frames.change(before ? "MODIFIED" : "ADDED", event.object));
}

interface FrameMaker {
  readonly change: (type: string, object: StoredObject) => string;
  readonly bookmark: (version: number, annotations: Readonly<Record<string, string>> | undefined) => string;
}

function frameText(type: string, object: string): string {
  return `{"type":"${type}","object":${object}}\n`;
}

function frameMaker(context: ApiContext, target: Target, request: ApiRequest): FrameMaker {
  const { definition } = target;
  const { view, viewVersion } = negotiate(request.headers["accept"]);
  let headerSent = false;
  const bookmarkObject = (
    version: number,
    annotations: Readonly<Record<string, string>> | undefined,
  ): StoredObject =>
    servedObject(definition, {
      metadata: {
        name: "",
        resourceVersion: String(version),
        ...(annotations === undefined ? {} : { annotations }),
      },
    });
  const table = (objects: readonly StoredObject[], version: string | undefined): string => {
    const rendered = renderTable(objects, {
      definition,
      nowMs: context.clock.nowMs(),
      version: viewVersion,
      include: request.query.get("includeObject"),
      listMetadata: { resourceVersion: version },
    });
    // Columns come once; clients print their header when they see them.
    const result = headerSent ? { ...rendered, columnDefinitions: null } : rendered;
    headerSent = true;
    return JSON.stringify(result);
  };
  const partial = (object: StoredObject): string => JSON.stringify(partialMetadata(object, viewVersion));
  return {
    change(type, object) {
      if (view === "Table") return frameText(type, table([object], object.metadata.resourceVersion));
      return frameText(type, view === "object" ? objectText(definition, object) : partial(object));
    },
    bookmark(version, annotations) {
      if (view === "Table") return frameText("BOOKMARK", table([], String(version)));
      const object = bookmarkObject(version, annotations);
      return frameText("BOOKMARK", view === "object" ? JSON.stringify(object) : partial(object));
    },
  };
}
