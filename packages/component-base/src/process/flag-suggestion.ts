// Suggests a flag for a mistyped one.
import { suggest } from "./suggest.ts";

/** Which every program has. */
const common = ["help", "version"];

/** Behind the name of an unknown flag: "; did you mean --config?", or nothing. @param known its own flags, without dashes. */
export function flagSuggestion(flag: string, known: readonly string[]): string {
  const word = flag.replace(/^-+/, "");
  // Two letters are near to everything.
  const meant = word.length < 3 ? undefined : suggest(word, [...known, ...common]);
  return meant === undefined ? "" : `; did you mean --${meant}?`;
}
