// Lines and frames of a watch as events.
import { ProtobufError, readWatchFrame } from "@plimsoll/kube-protobuf";
import { type ApiError, ConnectionError } from "../client/api-error.ts";
import { apiErrorOf } from "../client/http/error-response.ts";
import type { KubeObject } from "../objects/object.ts";
import type { ProtobufKind } from "./protobuf-kind.ts";

/** One line or frame of a watch. */
export type WatchEvent =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: KubeObject }
  | { readonly type: "BOOKMARK"; readonly resourceVersion: string }
  | { readonly type: "ERROR"; readonly error: ApiError }
  | { readonly type: "unknown"; readonly name: string };

interface WireEvent {
  readonly type?: unknown;
  readonly object?: Partial<KubeObject> | null;
}

/** Reads one line of a watch. Throws ConnectionError when it is not an event. */
export function readWatchEvent(line: string): WatchEvent {
  return eventOf(parse(line));
}

/** Reads one frame of a watch in protobuf. Throws ConnectionError when it is not an event. */
export function readProtobufEvent(frame: Buffer, kind: ProtobufKind): WatchEvent {
  try {
    return eventOf(readWatchFrame(frame, kind) as ReturnType<typeof parse>);
  } catch (error) {
    if (!(error instanceof ProtobufError)) throw error;
    throw new ConnectionError("bad_response", `a frame of a watch: ${error.message}`, error);
  }
}

function eventOf({ type, object }: ReturnType<typeof parse>): WatchEvent {
  switch (type) {
    case "ERROR":
      return { type, error: apiErrorOf(object, { code: 500, what: "watch" }) };
    case "BOOKMARK":
      return { type, resourceVersion: versionOf(type, object) };
    case "ADDED":
    case "MODIFIED":
    case "DELETED":
      versionOf(type, object);
      if (typeof object?.metadata?.name !== "string" || object.metadata.name === "") {
        throw new ConnectionError("bad_response", `an event ${type} has an object without a name`);
      }
      return { type, object: object as KubeObject };
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
  if (typeof type !== "string") {
    throw new ConnectionError("bad_response", `a line of a watch is not an event: ${line.slice(0, 80)}`);
  }
  return { ...parsed, type };
}

function versionOf(type: string, object: WireEvent["object"]): string {
  const version = object?.metadata?.resourceVersion;
  if (typeof version === "string") return version;
  throw new ConnectionError("bad_response", `an event ${type} has no object with a version`);
}
