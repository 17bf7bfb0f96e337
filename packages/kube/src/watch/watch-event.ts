// Lines and frames of a watch as events.

import { type ApiError, ConnectionError } from "../client/api-error.ts";
import { apiErrorOf } from "../client/http/error-response.ts";
import { namesOf, parseHead } from "../client/http/json-head.ts";
import type { UnreadItem } from "../client/list-items.ts";
import type { KubeObject } from "../objects/object.ts";
import { ProtobufError, readWatchFrame, readWatchHead } from "../protobuf/index.ts";
import type { Piece } from "./piece.ts";
import type { ProtobufKind } from "./protobuf-kind.ts";

/** An object came, changed or went. */
export interface ObjectEvent extends UnreadItem {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  /** Undefined when the event is too large to be read; then what is known of it comes from its first bytes. */
  readonly object: KubeObject | undefined;
  readonly resourceVersion: string | undefined;
}

/** One line or frame of a watch. */
export type WatchEvent =
  | ObjectEvent
  | { readonly type: "BOOKMARK"; readonly resourceVersion: string }
  | { readonly type: "ERROR"; readonly error: ApiError }
  | { readonly type: "unknown"; readonly name: string };

interface WireEvent {
  readonly type?: unknown;
  readonly object?: Partial<KubeObject> | null;
}

/** Reads one line of a watch. Throws ConnectionError when it is not an event. */
export function readWatchEvent({ bytes, size }: Piece): WatchEvent {
  if (bytes.length === size) return eventOf(parse(bytes.toString("utf8")), size);
  const head = (parseHead(bytes) ?? {}) as WireEvent;
  return unreadEvent({ type: head.type, names: namesOf(head.object), size });
}

/** Reads one frame of a watch in protobuf. Throws ConnectionError when it is not an event. */
export function readProtobufEvent({ bytes, size }: Piece, kind: ProtobufKind): WatchEvent {
  if (bytes.length < size) return unreadEvent({ ...readWatchHead(bytes), size });
  try {
    return eventOf(readWatchFrame(bytes, kind) as ReturnType<typeof parse>, size);
  } catch (error) {
    if (!(error instanceof ProtobufError)) throw error;
    throw new ConnectionError("bad_response", `a frame of a watch: ${error.message}`, error);
  }
}

function unreadEvent({
  type,
  names,
  size,
}: {
  readonly type: unknown;
  readonly names: ReturnType<typeof namesOf>;
  readonly size: number;
}): ObjectEvent {
  if (type !== "ADDED" && type !== "MODIFIED" && type !== "DELETED")
    throw new ConnectionError(
      "too_large",
      `an event of a watch that is not of an object has ${String(size)} bytes`,
    );
  return { type, ...names, object: undefined, bytes: size, isTooLarge: true };
}

function eventOf({ type, object }: ReturnType<typeof parse>, bytes: number): WatchEvent {
  switch (type) {
    case "ERROR":
      return { type, error: apiErrorOf(object, { code: 500, what: "watch" }) };
    case "BOOKMARK":
      return { type, resourceVersion: versionOf(type, object) };
    case "ADDED":
    case "MODIFIED":
    case "DELETED": {
      const resourceVersion = versionOf(type, object);
      if (typeof object?.metadata?.name !== "string" || object.metadata.name === "")
        throw new ConnectionError("bad_response", `an event ${type} has an object without a name`);
      const { namespace, name } = object.metadata;
      return {
        type,
        object: object as KubeObject,
        namespace,
        name,
        resourceVersion,
        bytes,
        isTooLarge: false,
      };
    }
    default:
      return { type: "unknown", name: type };
  }
}

function parse(line: string): WireEvent & { readonly type: string } {
  let parsed: WireEvent | null;
  try {
    parsed = JSON.parse(line) as WireEvent | null;
  } catch (error) {
    throw new ConnectionError("bad_response", `a line of a watch is not JSON: ${line.slice(0, 80)}`, error);
  }
  const type = parsed?.type;
  if (typeof type !== "string")
    throw new ConnectionError("bad_response", `a line of a watch is not an event: ${line.slice(0, 80)}`);
  return { ...parsed, type };
}

function versionOf(type: string, object: WireEvent["object"]): string {
  const version = object?.metadata?.resourceVersion;
  if (typeof version === "string") return version;
  throw new ConnectionError("bad_response", `an event ${type} has no object with a version`);
}
