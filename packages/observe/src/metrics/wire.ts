// Reads responses of the metrics APIs.
import type { LabelSelector } from "@plimsoll/core";
import { type Fields, fieldsOf } from "@plimsoll/core/internal/values";
import { labelSelector, SelectorError } from "@plimsoll/core/selector";

/** The response of a metrics API is not what the API defines. */
export class InvalidResponseError extends Error {
  override readonly name = "InvalidResponseError";
}

/** No adapter that serves this metric is behind the API. */
export class NotServedError extends InvalidResponseError {}

/** One GET, and how to read what comes back. */
export interface MetricCall<T> {
  readonly api: "resource" | "custom" | "external";
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** Throws an InvalidResponseError when the body is not what this API returns. */
  readonly read: (body: unknown) => T;
  /** The same for a body in protobuf, where that is worth it. Throws a ProtobufError as well. */
  readonly readProtobuf?: (bytes: Buffer) => T;
}

export function itemsOf(body: unknown): readonly Fields[] {
  const items = fieldsOf(body)["items"];
  if (items === null) return [];
  if (!Array.isArray(items))
    throw new InvalidResponseError("the metrics API returned something that is not a list");
  return items.map(fieldsOf);
}

export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** All items of a response mostly have the same, or a few. */
let lastInstant = "";
let lastQuantities: readonly [string, string] = ["0", "0"];

const quantityForm = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[numkMGTPE]|[KMGTPE]i|[eE][+-]?\d+)?$/;

/** The exact number of longer ones would take its time, also when it is cut down to 64 bits in the end. */
const maxQuantity = 128;

/** A quantity as text; undefined for NaN, infinities, null and whatever else is not a quantity. */
export function quantityOf(value: unknown): string | undefined {
  const text = typeof value === "number" ? String(value) : value;
  if (typeof text !== "string") return undefined;
  if (text === lastQuantities[0]) return lastQuantities[0];
  if (text === lastQuantities[1]) return lastQuantities[1];
  if (text.length > maxQuantity || !quantityForm.test(text)) return undefined;
  lastQuantities = [text, lastQuantities[0]];
  return text;
}

/** The instant of an item as written; undefined (the zero time) when there is none. */
export function instantOf(item: Fields): string | undefined {
  const text = textOf(item["timestamp"]);
  if (text === undefined) return undefined;
  if (text === lastInstant) return lastInstant;
  if (Number.isNaN(Date.parse(text))) return undefined;
  lastInstant = text;
  return text;
}

/** The same as a field of a sample. */
export function timeOf(item: Fields): { readonly timestamp?: string } {
  const timestamp = instantOf(item);
  return timestamp === undefined ? {} : { timestamp };
}

/** An empty parameter is left out of the query, as upstream's clients do; so "select nothing" means no filter. */
export function parameter(name: string, selectorText: string): Readonly<Record<string, string>> {
  return selectorText === "" ? {} : { [name]: selectorText };
}

/** Canonical text of a metric's selector. Throws an InvalidResponseError with the reason when it cannot be used. */
export function metricSelectorText(selector: LabelSelector | undefined): string {
  if (selector === undefined || selector === null) return "";
  try {
    return labelSelector(selector).toString();
  } catch (error) {
    if (error instanceof SelectorError) throw new InvalidResponseError(error.message);
    throw error;
  }
}
