// Reads the headers of a source, fixed ones and those of files.
import { redact } from "@plimsoll/core/redact";
import type { Place, RulesDocument } from "../document/document.ts";
import { readRequired } from "./fields.ts";
import type { SourceConfig } from "./source-config.ts";

/** Headers that the client sets itself, or that would change how a request is read. */
const reserved: ReadonlySet<string> = new Set([
  "accept",
  "accept-encoding",
  "connection",
  "content-length",
  "content-type",
  "host",
  "transfer-encoding",
  "upgrade",
]);

/** Headers that carry a credential: their values belong in files. */
const secret: ReadonlySet<string> = new Set(["authorization", "cookie", "proxy-authorization", "x-api-key"]);

/** Reads `headers` and `headersFrom`; a header may be named once. */
export function readHeaders(
  document: RulesDocument,
  headers: Place,
  headersFrom: Place,
): Pick<SourceConfig, "headers" | "tenantHeaders" | "headerFiles"> {
  const seen = new Set<string>();
  const nameOf = (place: Place, text: string): string => {
    const name = text.toLowerCase();
    if (!/^[!#$%&'*+.^_`|~0-9a-z-]{1,128}$/.test(name))
      document.problem(place, `${JSON.stringify(redact(text))} cannot be the name of a header`);
    else if (reserved.has(name))
      document.problem(place, `the header ${name} is set by the client: remove it`);
    else if (seen.has(name)) document.problem(place, `the header ${name} is there twice: remove one`);
    seen.add(name);
    return name;
  };
  const fixed = document.entries(headers).map(([key, place]) => {
    const name = nameOf(place, key);
    if (secret.has(name))
      document.problem(place, `the header ${name} is a secret: name its file in headersFrom instead`);
    return { name, value: readValue(document, place, name) };
  });
  const files = document.items(headersFrom).map((place) => {
    const fields = document.fields(place, ["name", "file"]);
    return {
      name: nameOf(fields.name, readRequired(document, fields.name, place, "the name of the header")),
      file: readRequired(document, fields.file, place, "the file with the value"),
    };
  });
  return {
    headers: fixed.filter(({ value }) => !value.includes(placeholder)),
    tenantHeaders: fixed.filter(({ value }) => value.includes(placeholder)),
    headerFiles: files,
  };
}

/** The only one there is; the name of a namespace takes its place. */
const placeholder = "{namespace}";

/** A value, as it is sent. */
function readValue(document: RulesDocument, place: Place, name: string): string {
  const value = document.text(place);
  if (value === "") document.problem(place, `the header ${name} has no value: write one, or remove it`);
  else if (/[^\x20-\x7e]/.test(value) || value.trim() !== value)
    document.problem(
      place,
      `the value of ${name} has a character that no header may have, or blanks at an end`,
    );
  if (/[{}]/.test(value.replaceAll(placeholder, "")))
    document.problem(
      place,
      `${JSON.stringify(redact(value))} has braces: only ${placeholder}, the namespace of the request, may be in the value of a header`,
    );
  return value;
}
