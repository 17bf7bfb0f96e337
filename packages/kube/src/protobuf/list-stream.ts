// Reads a list item by item as its bytes arrive.
import { type Envelope, expectType, type KindReader, readType } from "./envelope.ts";
import { type ReadListMetadata, readListMetadata } from "./objects/metadata.ts";
import { type ReadNames, readNames } from "./objects/names.ts";
import { List, magic, Unknown } from "./wire/numbers.ts";
import { createPending, type Field, openField, type Pending } from "./wire/pending.ts";
import { broken, openReader, ProtobufError, type WireReader } from "./wire/reader.ts";
import { readText } from "./wire/strings.ts";

/** Who receives the items of a list. */
export interface ListReceiver<T> {
  /** An item of more bytes is not kept. */
  readonly maxItemBytes: number;
  /** An item, and how many bytes it took. */
  readonly onItem: (item: T, bytes: number) => void;
  /** An item above the limit: its names as far as its first bytes show them, and how many it has. */
  readonly onOversized: (names: ReadNames, bytes: number) => void;
}

/** What a list has beside its items. */
export interface ReadListRest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ReadListMetadata;
}

/** A list on its way. Both functions throw ProtobufError; the splitter is of no use after that. */
export type ListSplitter = ReturnType<typeof splitList>;

/** Of an item above the limit so much is looked at. */
const headBytes = 4096;

interface Scan<T> {
  readonly reads: KindReader<T>;
  readonly receiver: ListReceiver<T>;
  readonly listType: Type;
  readonly pending: Pending;
  place: "start" | "envelope" | "list" | "end";
  type: Type;
  metadata: ReadListMetadata;
  /** Where the list ends, in bytes of the response. */
  listEnd: number;
}

type Type = Pick<Envelope, "apiVersion" | "kind">;

/** Reads a list of this kind, and keeps no more than one item and the metadata of the list. */
export function splitList<T>(reads: KindReader<T>, receiver: ListReceiver<T>) {
  const pending = createPending();
  const scan: Scan<T> = {
    reads,
    receiver,
    pending,
    listType: { apiVersion: reads.apiVersion, kind: `${reads.kind}List` },
    place: "start",
    type: { apiVersion: "", kind: "" },
    metadata: { resourceVersion: undefined, continue: undefined },
    listEnd: 0,
  };
  return {
    /** The next bytes, which must not change afterwards. */
    push(chunk: Buffer): void {
      const bytes = pending.join(chunk);
      if (bytes === undefined) return;
      const reader = openReader(bytes, reads);
      let at = 0;
      for (;;) {
        if (scan.place === "list" && pending.passed + at === scan.listEnd) scan.place = "end";
        if (scan.place === "end") at = bytes.length;
        if (at >= bytes.length) break;
        reader.at = at;
        const next = pass(scan, reader);
        if (next === undefined) break;
        at = next;
      }
      pending.keep(at);
    },
    end(): ReadListRest {
      if (scan.place !== "end") throw new ProtobufError("not Kubernetes' protobuf: the list ends early");
      return { ...scan.listType, metadata: scan.metadata };
    },
  };
}

/** Where the next field begins; undefined when this one has not come. */
function pass<T>(scan: Scan<T>, reader: WireReader): number | undefined {
  const { pending, place } = scan;
  if (place === "start") return passMagic(scan, reader);
  const field = openField(reader, pending);
  if (field === undefined) return undefined;
  if (place === "envelope") return passEnvelopeField(scan, reader, field);
  if (pending.passed + field.end > scan.listEnd) throw broken(reader, "a field is longer than its message");
  return passListField(scan, reader, field);
}

function passMagic<T>(scan: Scan<T>, { bytes }: WireReader): number | undefined {
  if (!scan.pending.has(magic.length)) return undefined;
  if (!bytes.subarray(0, magic.length).equals(magic))
    throw new ProtobufError("not Kubernetes' protobuf: it does not begin with k8s\\0");
  scan.place = "envelope";
  return magic.length;
}

function passEnvelopeField<T>(scan: Scan<T>, reader: WireReader, field: Field): number | undefined {
  const { pending } = scan;
  if (field.tag === Unknown.raw) {
    expectType(scan.type, scan.listType);
    scan.listEnd = pending.passed + field.end;
    scan.place = "list";
    return field.start;
  }
  if (field.tag !== Unknown.typeMeta && field.tag !== Unknown.contentEncoding) return pending.skip(field);
  if (!pending.hasSmall(reader, field)) return undefined;
  reader.at = field.lengthAt;
  if (field.tag === Unknown.typeMeta) scan.type = readType(reader, field.end);
  else if (readText(reader, field.end) !== "") throw broken(reader, "the object is encoded once more");
  return field.end;
}

function passListField<T>(scan: Scan<T>, reader: WireReader, field: Field): number | undefined {
  const { pending } = scan;
  if (field.tag === List.items) return passItem(scan, reader, field);
  if (field.tag !== List.metadata) return pending.skip(field);
  if (!pending.hasSmall(reader, field)) return undefined;
  reader.at = field.lengthAt;
  scan.metadata = readListMetadata(reader, field.end);
  return field.end;
}

function passItem<T>(scan: Scan<T>, reader: WireReader, field: Field): number | undefined {
  const { pending, reads, receiver } = scan;
  const size = field.end - field.start;
  if (size > receiver.maxItemBytes) {
    const headEnd = Math.min(field.end, field.start + headBytes);
    if (!pending.has(headEnd)) return undefined;
    receiver.onOversized(readNames(reader, field.start, headEnd), size);
    return pending.skip(field);
  }
  if (!pending.has(field.end)) return undefined;
  reader.at = field.lengthAt;
  receiver.onItem(reads.read(reader, field.end), size);
  return field.end;
}
