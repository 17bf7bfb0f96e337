// Reads the values of a file of sources: addresses, durations, sizes, names of files.
import { parseGoDuration } from "@plimsoll/core/duration";
import { redact, redactUrl } from "@plimsoll/core/redact";
import { addressProblem } from "@plimsoll/prometheus";
import type { Place, RulesDocument } from "../document/document.ts";

/** A text that has to be there; "" and a problem where it is not. */
export function readRequired(document: RulesDocument, place: Place, owner: Place, remedy: string): string {
  const text = document.text(place).trim();
  if (text === "") {
    const at = document.isAbsent(place) ? { path: place.path, node: owner.node } : place;
    document.problem(at, `is missing: ${remedy}`);
  }
  return text;
}

/** Undefined where there is none. */
export function readOptional(document: RulesDocument, place: Place): string | undefined {
  const text = document.text(place).trim();
  return text === "" ? undefined : text;
}

/** The address of a server, without credentials: these are in files. */
export function readUrl(document: RulesDocument, place: Place, text: string): string {
  if (text === "") return text;
  const problem = addressProblem(text) ?? secretProblem(new URL(text));
  if (problem !== undefined) document.problem(place, `${JSON.stringify(redactUrl(text))} ${problem}`);
  return text;
}

function secretProblem(url: URL): string | undefined {
  if (url.username !== "" || url.password !== "")
    return "must have no user and no password: use auth with type basic and passwordFile";
  if (url.search !== "") return "must have no query: what each request has to carry goes into headers";
  return undefined;
}

/** A Go duration above zero, in milliseconds. */
export function readDuration(
  document: RulesDocument,
  place: Place,
  { min, max }: { readonly min: number; readonly max: number },
): number | undefined {
  const text = readOptional(document, place);
  if (text === undefined) return undefined;
  const ms = parseGoDuration(text);
  if (ms !== undefined && ms >= min && ms <= max) return ms;
  document.problem(
    place,
    `${JSON.stringify(redact(text))} must be a duration such as "10s", from ${min / 1000}s to ${max / 1000}s`,
  );
  return undefined;
}

/** A whole number of a range. */
export function readInteger(
  document: RulesDocument,
  place: Place,
  { min, max }: { readonly min: number; readonly max: number },
): number | undefined {
  const text = readOptional(document, place);
  if (text === undefined) return undefined;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  document.problem(place, `${JSON.stringify(redact(text))} must be a whole number from ${min} to ${max}`);
  return undefined;
}

const unitBytes: Readonly<Record<string, number>> = { Ki: 1024, Mi: 1024 ** 2, Gi: 1024 ** 3, "": 1 };

/** A size such as 64Mi, in bytes. */
export function readBytes(
  document: RulesDocument,
  place: Place,
  { min, max }: { readonly min: number; readonly max: number },
): number | undefined {
  const text = readOptional(document, place);
  if (text === undefined) return undefined;
  const [, digits, unit = ""] = /^(\d{1,12})(Ki|Mi|Gi)?$/.exec(text) ?? [];
  const bytes = digits === undefined ? Number.NaN : Number(digits) * (unitBytes[unit] ?? Number.NaN);
  if (bytes >= min && bytes <= max) return bytes;
  document.problem(
    place,
    `${JSON.stringify(redact(text))} must be a size such as "64Mi", from ${min} to ${max} bytes`,
  );
  return undefined;
}

/** One of some words. */
export function readChoice<C extends string>(
  document: RulesDocument,
  place: Place,
  choices: readonly C[],
): C | undefined {
  const text = readOptional(document, place);
  const choice = choices.find((one) => one === text);
  if (text !== undefined && choice === undefined)
    document.problem(place, `${JSON.stringify(redact(text))} must be ${choices.join(" or ")}`);
  return choice;
}

/** A list of texts, none empty. */
export function readTexts(document: RulesDocument, place: Place): readonly string[] {
  return document.items(place).map((item) => {
    const text = document.text(item).trim();
    if (text === "") document.problem(item, "is empty: remove it, or write what it should be");
    return text;
  });
}
