import { convertHpa } from "@plimsoll/core/api";
import type { Finding, Json, SourceObject } from "../source.ts";

type Versioned = Pick<SourceObject, "apiVersion" | "value">;

/** Fields that the object's own API version does not have: misspelled, most likely, and without effect so far. Throws ConversionError. */
export function unknownFields(source: Versioned): readonly Finding[] {
  const same = convertHpa(source.value, source.apiVersion);
  return compare(source.value["spec"], same["spec"], "spec").map((path) => ({
    path,
    message: `is no field of ${source.apiVersion}`,
    remedy: "correct its name, or remove it",
  }));
}

function compare(written: unknown, known: unknown, path: string): readonly string[] {
  if (Array.isArray(written)) {
    return written.flatMap((item, index) =>
      compare(item, Array.isArray(known) ? known[index] : undefined, `${path}[${index}]`),
    );
  }
  if (typeof written !== "object" || written === null) return [];
  return Object.entries(written).flatMap(([key, value]) => {
    const inner = `${path}.${key}`;
    if (value === null || isEmpty(value)) return [];
    if (typeof known !== "object" || known === null || !Object.hasOwn(known, key)) return [inner];
    return compare(value, (known as Json)[key], inner);
  });
}

/** An empty list or object may come out as absent. */
function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}
