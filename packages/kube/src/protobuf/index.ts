// Kubernetes' protobuf: what Plimsoll reads in bulk, straight from the bytes.
import { type ReadNames, readNames } from "./objects/names.ts";
import { magic, RawExtension, Unknown, WatchEvent } from "./wire/numbers.ts";
import { openReader, ProtobufError, readVarint, skipField, type WireReader } from "./wire/reader.ts";
import { readText } from "./wire/strings.ts";

export {
  type KindReader,
  protobufMediaType,
  protobufOrJson,
  type ReadPage,
  type ReadStatus,
  type ReadWatchEvent,
  readPage,
  readStatusResponse,
  readWatchFrame,
} from "./envelope.ts";
export { type ListReceiver, type ListSplitter, type ReadListRest, splitList } from "./list-stream.ts";
export type { ReadMetadata, ReadObject } from "./objects/metadata.ts";
export type { ReadNames } from "./objects/names.ts";
export type { ReadPod } from "./objects/pod.ts";
export { metadataReader, podReader, workloadReaderOf } from "./objects/readers.ts";
export type { ReadWorkload } from "./objects/workload.ts";
export { type PodUsage, podUsageReader } from "./usage/pod-usage.ts";
export { put as setOwn } from "./wire/maps.ts";
export { magic } from "./wire/numbers.ts";
export { ProtobufError } from "./wire/reader.ts";

/** What the first bytes of an event show. */
export interface ReadWatchHead {
  readonly type: string;
  readonly names: ReadNames;
}

/** The beginning of a frame, without the length before it. What it does not show is missing; it never throws. */
export function readWatchHead(head: Buffer): ReadWatchHead {
  const reader = openReader(head);
  const end = head.length;
  let type = "";
  try {
    while (reader.at < end) {
      const tag = readVarint(reader, end);
      if (tag === WatchEvent.type) type = readText(reader, end);
      else if (tag === WatchEvent.object) return { type, names: namesInObject(reader, end) };
      else skipField(reader, tag, end);
    }
  } catch (error) {
    if (!(error instanceof ProtobufError)) throw error;
  }
  return { type, names: noNames };
}

const noNames: ReadNames = { namespace: undefined, name: undefined, resourceVersion: undefined };

/** The lengths on the way are those of all that follows. */
function namesInObject(reader: WireReader, end: number): ReadNames {
  readVarint(reader, end);
  if (readVarint(reader, end) !== RawExtension.raw) return noNames;
  readVarint(reader, end);
  reader.at += magic.length;
  while (reader.at < end) {
    const tag = readVarint(reader, end);
    if (tag !== Unknown.raw) {
      skipField(reader, tag, end);
      continue;
    }
    readVarint(reader, end);
    return readNames(reader, reader.at, end);
  }
  return noNames;
}
