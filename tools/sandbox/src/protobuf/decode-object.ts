// Decodes objects that Go clients send as protobuf.
import { magic } from "@plimsoll/kube/protobuf";
import type { JsonRecord } from "../storage/json-value.ts";
import { messageSchemas } from "./message-schemas.ts";
import { readFields, type WireField } from "./wire-reader.ts";

/**
 * The JSON form of an object that a Go client sent as protobuf. Undefined when it is of a kind, or has a field,
 * that is unknown here: better no object than one with something lost. Throws RangeError on broken bytes.
 */
export function decodeProtobufObject(body: Buffer): JsonRecord | undefined {
  if (!body.subarray(0, magic.length).equals(magic))
    throw new RangeError("the body does not start as a Kubernetes object");
  const envelope = readFields(body.subarray(magic.length));
  const typeMeta = readFields(bytesOf(envelope, 1));
  const apiVersion = bytesOf(typeMeta, 1).toString("utf8");
  const kind = bytesOf(typeMeta, 2).toString("utf8");
  const name = kind === "DeleteOptions" ? kind : `${apiVersion}.${kind}`;
  try {
    return { apiVersion, kind, ...decodeMessage(name, bytesOf(envelope, 2)) };
  } catch (error) {
    if (error instanceof UnknownMessage) return undefined;
    throw error;
  }
}

class UnknownMessage extends Error {}

interface FieldSchema {
  readonly name: string;
  readonly type: string;
}

const parsed = new Map<string, ReadonlyMap<number, FieldSchema>>();

function schemaOf(message: string): ReadonlyMap<number, FieldSchema> {
  const known = parsed.get(message);
  if (known !== undefined) return known;
  const text = messageSchemas[message];
  if (text === undefined) throw new UnknownMessage(message);
  const schema = new Map<number, FieldSchema>();
  for (const entry of text.split(" ")) {
    const [head = "", ...type] = entry.split(":");
    const [name = "", number] = head.split("=");
    schema.set(Number(number), { name, type: type.join(":") || "text" });
  }
  parsed.set(message, schema);
  return schema;
}

function decodeMessage(message: string, bytes: Buffer): JsonRecord {
  const schema = schemaOf(message);
  const result: JsonRecord = {};
  for (const field of readFields(bytes)) {
    const known = schema.get(field.number);
    if (known === undefined) throw new UnknownMessage(`${message}, field ${field.number}`);
    put(result, known, field);
  }
  return result;
}

function put(result: JsonRecord, { name, type }: FieldSchema, field: WireField): void {
  if (type.endsWith("[]")) {
    const list = Array.isArray(result[name]) ? result[name] : [];
    // An empty text in a list means something ("" is the core API group), so it stays.
    const item = type === "text[]" ? textOf(field) : decodeValue(type.slice(0, -2), field);
    result[name] = [...(list as unknown[]), item];
  } else if (type.startsWith("map")) {
    const entries = (result[name] ?? {}) as JsonRecord;
    const [key, value] = decodeEntry(type === "map" ? "" : type.slice(4, -1), bytesIn(field));
    result[name] = { ...entries, [key]: value };
  } else if (type.startsWith("inline:")) {
    Object.assign(result, decodeMessage(type.slice("inline:".length), bytesIn(field)));
  } else {
    const value = decodeValue(type, field);
    if (value !== undefined) result[name] = value;
  }
}

function decodeEntry(valueType: string, bytes: Buffer): readonly [string, unknown] {
  const fields = readFields(bytes);
  const value = bytesOf(fields, 2);
  return [bytesOf(fields, 1).toString("utf8"), entryValue(valueType, value)];
}

function entryValue(type: string, value: Buffer): unknown {
  switch (type) {
    case "bytes":
      return value.toString("base64");
    case "quantity":
      return bytesOf(readFields(value), 1).toString("utf8");
    case "texts":
      return readFields(value).map(textOf);
    default:
      return value.toString("utf8");
  }
}

/** By type; undefined represents a field that Go writes although it is not set. */
const scalarDecoders = new Map<string, (field: WireField) => unknown>([
  ["text", (field) => textOf(field) || undefined],
  ["int", numberOf],
  ["int0", (field) => numberOf(field) || undefined],
  ["bool", (field) => numberOf(field) !== 0],
  ["bool0", (field) => numberOf(field) !== 0 || undefined],
  ["time", (field) => decodeTime(readFields(bytesIn(field)), false)],
  ["micro", (field) => decodeTime(readFields(bytesIn(field)), true)],
  ["quantity", innerText],
  ["intstr", (field) => decodeIntOrString(readFields(bytesIn(field)))],
  ["intstr0", (field) => decodeIntOrString(readFields(bytesIn(field))) || undefined],
  ["json", (field) => JSON.parse(innerText(field)) as unknown],
  ["skip", () => undefined],
]);

/** Every other type is a message. */
function decodeValue(type: string, field: WireField): unknown {
  const decode = scalarDecoders.get(type);
  return decode === undefined ? decodeMessage(type, bytesIn(field)) : decode(field);
}

/** The text that is the first field of a message. */
function innerText(field: WireField): string {
  return bytesOf(readFields(bytesIn(field)), 1).toString("utf8");
}

function decodeTime(fields: readonly WireField[], micro: boolean): string | undefined {
  const seconds = varintOf(fields, 1);
  // The zero time of Go is the year 1 or nothing at all.
  if (seconds <= 0) return undefined;
  const text = new Date(seconds * 1000).toISOString().slice(0, 19);
  if (!micro) return `${text}Z`;
  return `${text}.${String(Math.floor(varintOf(fields, 2) / 1000)).padStart(6, "0")}Z`;
}

function decodeIntOrString(fields: readonly WireField[]): number | string {
  return varintOf(fields, 1) === 1 ? bytesOf(fields, 3).toString("utf8") : varintOf(fields, 2);
}

function varintOf(fields: readonly WireField[], number: number): number {
  const found = fields.findLast((field) => field.number === number);
  return found?.type === "varint" ? Number(found.value) : 0;
}

function bytesOf(fields: readonly WireField[], number: number): Buffer {
  const found = fields.findLast((field) => field.number === number);
  return found?.type === "bytes" ? found.value : Buffer.alloc(0);
}

function bytesIn(field: WireField): Buffer {
  if (field.type !== "bytes") throw new RangeError(`field ${field.number} must have a length`);
  return field.value;
}

function textOf(field: WireField): string {
  return bytesIn(field).toString("utf8");
}

function numberOf(field: WireField): number {
  if (field.type !== "varint") throw new RangeError(`field ${field.number} must be a number`);
  return Number(field.value);
}
