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

/** The name of an entry, for messages and metrics; "" and a problem where it is not. */
export function readName(document: RulesDocument, place: Place, owner: Place, remedy: string): string {
  const name = readRequired(document, place, owner, remedy);
  if (name !== "" && !/^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/.test(name))
    document.problem(
      place,
      `${JSON.stringify(redact(name))} must be lower case letters, digits and "-", at most 63, with no "-" at an end`,
    );
  return name;
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

/** Both ends are allowed. */
interface Range {
  readonly min: number;
  readonly max: number;
}

/** A Go duration, in milliseconds. */
export function readDuration(document: RulesDocument, place: Place, range: Range): number | undefined {
  const what = `a duration such as "10s", from ${range.min / 1000}s to ${range.max / 1000}s`;
  return readAmount(document, place, range, { parse: parseGoDuration, what });
}

/** How long a request may take, in milliseconds; ten seconds where it is left out. A request to the adapter has 60 s. */
export function readTimeout(document: RulesDocument, place: Place): number {
  return readDuration(document, place, { min: 100, max: 60_000 }) ?? 10_000;
}

/** A whole number. */
export function readInteger(document: RulesDocument, place: Place, range: Range): number | undefined {
  const parse = (text: string) => (/^\d{1,9}$/.test(text) ? Number(text) : undefined);
  return readAmount(document, place, range, {
    parse,
    what: `a whole number from ${range.min} to ${range.max}`,
  });
}

const unitBytes: Readonly<Record<string, number>> = { Ki: 1024, Mi: 1024 ** 2, Gi: 1024 ** 3, "": 1 };

/** A size such as 64Mi, in bytes. */
export function readBytes(document: RulesDocument, place: Place, range: Range): number | undefined {
  const parse = (text: string): number | undefined => {
    const [, digits, unit = ""] = /^(\d{1,12})(Ki|Mi|Gi)?$/.exec(text) ?? [];
    return digits === undefined ? undefined : Number(digits) * (unitBytes[unit] ?? Number.NaN);
  };
  const what = `a size such as "64Mi", from ${range.min} to ${range.max} bytes`;
  return readAmount(document, place, range, { parse, what });
}

interface Amount {
  readonly parse: (text: string) => number | undefined;
  /** What the text has to be. */
  readonly what: string;
}

/** Undefined where there is none; also, with a problem, where it is not an amount of the range. */
function readAmount(
  document: RulesDocument,
  place: Place,
  { min, max }: Range,
  { parse, what }: Amount,
): number | undefined {
  const text = readOptional(document, place);
  if (text === undefined) return undefined;
  const value = parse(text);
  if (value !== undefined && value >= min && value <= max) return value;
  document.problem(place, `${JSON.stringify(redact(text))} must be ${what}`);
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
