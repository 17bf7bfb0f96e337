// Reads the metadata of objects and lists.
import { readLabels } from "../wire/maps.ts";
import { AnyObject, ListMeta, ObjectMeta } from "../wire/numbers.ts";
import { readEnd, readVarint, skipField, type WireReader } from "../wire/reader.ts";
import { readSharedText, readText } from "../wire/strings.ts";
import { readTime } from "../wire/times.ts";

/** Of an object's metadata what is read. A field that is not set is undefined: one literal takes less time than six spreads. */
export interface ReadMetadata {
  readonly name: string;
  readonly namespace: string | undefined;
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
  readonly creationTimestamp: string | undefined;
  readonly deletionTimestamp: string | undefined;
  readonly labels: Readonly<Record<string, string>> | undefined;
}

export const noMetadata: ReadMetadata = {
  name: "",
  namespace: undefined,
  uid: undefined,
  resourceVersion: undefined,
  creationTimestamp: undefined,
  deletionTimestamp: undefined,
  labels: undefined,
};

/** An object of which only this is read. */
export interface ReadObject {
  readonly metadata: ReadMetadata;
}

export function readMetadata(reader: WireReader, end: number): ReadMetadata {
  const own = readEnd(reader, end);
  let name = "";
  let namespace = "";
  let uid = "";
  let resourceVersion = "";
  let created: string | null = null;
  let deleted: string | null = null;
  let labels: ReadMetadata["labels"];
  while (reader.at < own) {
    const start = reader.at;
    const tag = readVarint(reader, own);
    if (tag === ObjectMeta.name) name = readText(reader, own);
    else if (tag === ObjectMeta.namespace) namespace = readSharedText(reader, own);
    else if (tag === ObjectMeta.uid) uid = readText(reader, own);
    else if (tag === ObjectMeta.resourceVersion) resourceVersion = readText(reader, own);
    else if (tag === ObjectMeta.creationTimestamp) created = readTime(reader, own);
    else if (tag === ObjectMeta.deletionTimestamp) deleted = readTime(reader, own);
    else if (tag === ObjectMeta.labels) labels = readLabels(reader, own, { tag, start });
    else skipField(reader, tag, own);
  }
  return {
    name,
    namespace: namespace || undefined,
    uid: uid || undefined,
    resourceVersion: resourceVersion || undefined,
    creationTimestamp: created ?? undefined,
    deletionTimestamp: deleted ?? undefined,
    labels,
  };
}

/** An object of any kind, without what its kind adds. */
export function readAnyObject(reader: WireReader, end: number): ReadObject {
  const own = readEnd(reader, end);
  let metadata = noMetadata;
  while (reader.at < own) {
    const tag = readVarint(reader, own);
    if (tag === AnyObject.metadata) metadata = readMetadata(reader, own);
    else skipField(reader, tag, own);
  }
  return { metadata };
}

export interface ReadListMetadata {
  readonly resourceVersion: string | undefined;
  readonly continue: string | undefined;
}

export function readListMetadata(reader: WireReader, end: number): ReadListMetadata {
  const own = readEnd(reader, end);
  let resourceVersion = "";
  let token = "";
  while (reader.at < own) {
    const tag = readVarint(reader, own);
    if (tag === ListMeta.resourceVersion) resourceVersion = readText(reader, own);
    else if (tag === ListMeta.continue) token = readText(reader, own);
    else skipField(reader, tag, own);
  }
  return { resourceVersion: resourceVersion || undefined, continue: token || undefined };
}
