// Decisions as text and as markdown.
import { explain } from "@plimsoll/core";
import type { LoggedDecision } from "../documents.ts";

export const textFormats = ["text", "markdown"] as const;
export type TextFormat = (typeof textFormats)[number];

/** Each decision with a line about when and on what, newest first. */
export function decisionText(decisions: readonly LoggedDecision[], format: TextFormat): string {
  return [...decisions]
    .reverse()
    .map((logged) => {
      const { resource, namespace, name, at, mode, applied } = logged;
      const title = `${resource} ${namespace}/${name} at ${at} (${mode}, ${applied})`;
      const body = explain(logged.decision, format).trimEnd();
      return format === "markdown" ? `## ${title}\n\n${body}\n` : `${title}\n${body}\n`;
    })
    .map(printable)
    .join("\n");
}

/** Messages come from other servers: what they contain must not control a terminal, or turn a line around. */
function printable(text: string): string {
  return text.replaceAll(
    /[^\P{Cc}\n]|[\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu,
    (char) => `\\x${(char.codePointAt(0) ?? 0).toString(16)}`,
  );
}
