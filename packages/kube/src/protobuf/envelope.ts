// Reads what is around objects: the envelope, lists, watch events and statuses.
import { type ReadListMetadata, readListMetadata } from "./objects/metadata.ts";
import {
  List,
  magic,
  RawExtension,
  Status,
  StatusDetails,
  TypeMeta,
  Unknown,
  WatchEvent,
} from "./wire/numbers.ts";
import {
  broken,
  openReader,
  ProtobufError,
  readEnd,
  readInt32,
  readVarint,
  skipField,
  type WireReader,
} from "./wire/reader.ts";
import { readSharedText, readText } from "./wire/strings.ts";

export const protobufMediaType = "application/vnd.kubernetes.protobuf";
/** What a client accepts that can read both: a server without protobuf sends JSON. */
export const protobufOrJson = `${protobufMediaType}, application/json`;

/** Reads one object of a kind; the reader is before its length. */
export type ReadKind<T> = (reader: WireReader, end: number) => T;

/** A kind, and how its objects are read. */
export interface KindReader<T> {
  /** "v1", "apps/v1". */
  readonly apiVersion: string;
  readonly kind: string;
  readonly read: ReadKind<T>;
  /** Whether its objects have many short strings, each unlike the others. */
  readonly hasShortTexts?: boolean;
}

/** A page of a list, as JSON has it. */
export interface ReadPage<T> {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ReadListMetadata;
  readonly items: readonly T[];
}

/** A cluster has no more pods; a few bytes can be an item, and each takes some hundred bytes of memory. */
const maxItems = 250_000;

/** The type of an object, and where its bytes begin. The reader is before its length. */
export interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  readonly rawAt: number;
}

/** Reads an envelope from the present place to `end`. */
function readEnvelope(reader: WireReader, end: number): Envelope {
  const { at, bytes } = reader;
  if (end - at < magic.length || bytes.compare(magic, 0, magic.length, at, at + magic.length) !== 0)
    throw broken(reader, "it does not begin with k8s\\0");
  reader.at += magic.length;
  let type = { apiVersion: "", kind: "" };
  let rawAt: number | undefined;
  while (reader.at < end) {
    const tag = readVarint(reader, end);
    if (tag === Unknown.typeMeta) type = readType(reader, end);
    else if (tag === Unknown.raw) {
      rawAt = reader.at;
      reader.at = readEnd(reader, end);
    } else if (tag === Unknown.contentEncoding && readText(reader, end) !== "")
      throw broken(reader, "the object is encoded once more");
    else if (tag !== Unknown.contentEncoding) skipField(reader, tag, end);
  }
  if (rawAt === undefined) throw broken(reader, "the envelope is empty");
  return { ...type, rawAt };
}

export function readType(
  reader: WireReader,
  end: number,
): { readonly apiVersion: string; readonly kind: string } {
  const own = readEnd(reader, end);
  let apiVersion = "";
  let kind = "";
  while (reader.at < own) {
    const tag = readVarint(reader, own);
    if (tag === TypeMeta.apiVersion) apiVersion = readSharedText(reader, own);
    else if (tag === TypeMeta.kind) kind = readSharedText(reader, own);
    else skipField(reader, tag, own);
  }
  return { apiVersion, kind };
}

/** Throws a ProtobufError when the bytes are not a list of this kind. */
export function readPage<T>(bytes: Buffer, reads: KindReader<T>): ReadPage<T> {
  const reader = openReader(bytes, reads);
  const { apiVersion, kind, rawAt } = readEnvelope(reader, bytes.length);
  expectType({ apiVersion, kind }, { ...reads, kind: `${reads.kind}List` });
  reader.at = rawAt;
  const end = readEnd(reader, bytes.length);
  let metadata: ReadListMetadata = { resourceVersion: undefined, continue: undefined };
  const items: T[] = [];
  while (reader.at < end) {
    const tag = readVarint(reader, end);
    if (tag === List.metadata) metadata = readListMetadata(reader, end);
    else if (tag === List.items) {
      if (items.length === maxItems) throw broken(reader, `the list has more than ${String(maxItems)} items`);
      items.push(reads.read(reader, end));
    } else skipField(reader, tag, end);
  }
  return { apiVersion, kind, metadata, items };
}

/** An event of a watch: its object, of the kind that is watched, or a Status with type "ERROR". */
export interface ReadWatchEvent<T> {
  readonly type: string;
  readonly object: T | ReadStatus | undefined;
}

/** One frame of a watch, without the length before it. Throws a ProtobufError. */
export function readWatchFrame<T>(frame: Buffer, reads: KindReader<T>): ReadWatchEvent<T> {
  const reader = openReader(frame, reads);
  let type = "";
  let object: { readonly at: number; readonly end: number } | undefined;
  while (reader.at < frame.length) {
    const tag = readVarint(reader, frame.length);
    if (tag === WatchEvent.type) type = readSharedText(reader, frame.length);
    else if (tag === WatchEvent.object) object = readRaw(reader, frame.length);
    else skipField(reader, tag, frame.length);
  }
  if (object === undefined) return { type, object };
  reader.at = object.at;
  const envelope = readEnvelope(reader, object.end);
  reader.at = envelope.rawAt;
  if (type === "ERROR") return { type, object: readStatus(reader, object.end, envelope) };
  expectType(envelope, reads);
  const { apiVersion, kind } = reads;
  return { type, object: { apiVersion, kind, ...reads.read(reader, object.end) } };
}

/** Where the bytes of a RawExtension are. */
function readRaw(reader: WireReader, end: number): { readonly at: number; readonly end: number } {
  const own = readEnd(reader, end);
  let range = { at: own, end: own };
  while (reader.at < own) {
    const tag = readVarint(reader, own);
    if (tag !== RawExtension.raw) {
      skipField(reader, tag, own);
      continue;
    }
    const rawEnd = readEnd(reader, own);
    range = { at: reader.at, end: rawEnd };
    reader.at = rawEnd;
  }
  return range;
}

/** A Status as JSON has it, without the fields that are not read. */
export interface ReadStatus {
  readonly kind: "Status";
  readonly message: string;
  readonly reason: string;
  readonly code: number;
  readonly details: { readonly retryAfterSeconds: number };
}

/** A response that failed; undefined when it is not a Status. Throws a ProtobufError. */
export function readStatusResponse(bytes: Buffer): ReadStatus | undefined {
  const reader = openReader(bytes);
  const envelope = readEnvelope(reader, bytes.length);
  reader.at = envelope.rawAt;
  return envelope.kind === "Status" ? readStatus(reader, bytes.length, envelope) : undefined;
}

function readStatus(reader: WireReader, end: number, { kind }: Pick<Envelope, "kind">): ReadStatus {
  if (kind !== "Status")
    throw new ProtobufError(`not Kubernetes' protobuf: an error is a ${JSON.stringify(kind)}`);
  const own = readEnd(reader, end);
  let message = "";
  let reason = "";
  let code = 0;
  let retryAfterSeconds = 0;
  while (reader.at < own) {
    const tag = readVarint(reader, own);
    if (tag === Status.message) message = readText(reader, own);
    else if (tag === Status.reason) reason = readSharedText(reader, own);
    else if (tag === Status.code) code = readInt32(reader, own);
    else if (tag === Status.details) retryAfterSeconds = readRetryAfter(reader, own);
    else skipField(reader, tag, own);
  }
  return { kind, message, reason, code, details: { retryAfterSeconds } };
}

function readRetryAfter(reader: WireReader, end: number): number {
  const own = readEnd(reader, end);
  let seconds = 0;
  while (reader.at < own) {
    const tag = readVarint(reader, own);
    if (tag === StatusDetails.retryAfterSeconds) seconds = readInt32(reader, own);
    else skipField(reader, tag, own);
  }
  return seconds;
}

type Type = Pick<Envelope, "apiVersion" | "kind">;

export function expectType(found: Type, wanted: Type): void {
  if (found.kind === wanted.kind && found.apiVersion === wanted.apiVersion) return;
  const [one, other] = [found, wanted].map(({ apiVersion, kind }) => JSON.stringify(`${apiVersion} ${kind}`));
  throw new ProtobufError(`not the wanted kind: ${one ?? ""} in place of ${other ?? ""}`);
}
