// The state of the page in the fragment of its address, which no server gets: bounded, with a version.
import type { CaseText } from "./case.ts";
import { maxTextLength } from "./read-yaml.ts";

/** Values of sliders and fields beside the texts, by the names of `Edits`. */
export interface PageState extends CaseText {
  readonly edits: Readonly<Record<string, string>>;
}

export type LinkRead =
  | { readonly ok: true; readonly state: PageState }
  | { readonly ok: false; readonly message: string };

const version = "v1";
/** Two texts of letters that take three bytes each, in base64, and the edits. */
const maxLength = 140_000;
const maxEdits = 50;
const maxEditLength = 50;

/** Why the page would refuse the link of this state; undefined: it would not. */
export function linkProblem(state: PageState): string | undefined {
  const { hpa, situation, edits } = state;
  const length = Math.max(hpa.length, situation.length);
  if (length > maxTextLength)
    return `A text has ${length} characters, and a link takes ${maxTextLength}: shorten it.`;
  const maxFound = Math.max(0, ...Object.values(edits).map((text) => text.length));
  if (maxFound > maxEditLength)
    return `A value has ${maxFound} characters, and a link takes ${maxEditLength}: shorten it.`;
  const read = stateOf(fragmentOf(state));
  return read?.ok === false ? read.message : undefined;
}

/** Without the `#`: `v1.` and base64url of a JSON list of the two texts and the edits. */
export function fragmentOf({ hpa, situation, edits }: PageState): string {
  const bytes = new TextEncoder().encode(JSON.stringify([hpa, situation, edits]));
  const binary = Array.from(bytes, (byte) => String.fromCodePoint(byte)).join("");
  return `${version}.${btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")}`;
}

/** Undefined: a fragment that is not a state, such as that of a heading. */
export function stateOf(fragment: string): LinkRead | undefined {
  const text = fragment.replace(/^#/, "");
  const [, ofVersion, encoded] = /^(v\d{1,6})\.(.*)$/s.exec(text) ?? [];
  if (ofVersion === undefined || encoded === undefined) return undefined;
  if (ofVersion !== version)
    return refused(`The link has the form ${ofVersion}, and this page reads ${version}: open a newer page.`);
  if (text.length > maxLength)
    return refused(`The link has ${text.length} characters, and ${maxLength} are read.`);
  const state = decoded(encoded);
  return state === undefined ? refused("The link is damaged: copy it once more.") : { ok: true, state };
}

function decoded(encoded: string): PageState | undefined {
  if (!/^[\w-]*$/.test(encoded)) return undefined;
  try {
    const binary = atob(encoded.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (letter) => letter.codePointAt(0) ?? 0);
    const [hpa, situation, edits] = JSON.parse(
      new TextDecoder("utf-8", { fatal: true }).decode(bytes),
    ) as readonly unknown[];
    if (!isText(hpa) || !isText(situation) || typeof edits !== "object" || edits === null) return undefined;
    const entries = Object.entries(edits as Readonly<Record<string, unknown>>);
    const isRight = entries.every(
      (entry): entry is [string, string] =>
        /^\w{1,20}$/.test(entry[0]) && typeof entry[1] === "string" && entry[1].length <= maxEditLength,
    );
    if (!isRight || entries.length > maxEdits) return undefined;
    return { hpa, situation, edits: Object.fromEntries(entries) as Readonly<Record<string, string>> };
  } catch {
    // No base64, no UTF-8 or no JSON.
    return undefined;
  }
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.length <= maxTextLength;
}

function refused(message: string): LinkRead {
  return { ok: false, message };
}
