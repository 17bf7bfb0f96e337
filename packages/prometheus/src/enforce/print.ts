// Writes a query from its tokens, with the matcher in every selector.
import { Refused } from "./refused.ts";
import type { Token } from "./tokens.ts";

/** Where a selector gets its matcher: before its closing brace, or after its name when it has no braces. */
export interface Insertion {
  readonly at: number;
  readonly hasBraces: boolean;
}

const BLANKS = /[ \t\r\n]+/;
const BETWEEN = /^[ \t\r\n(),[\]{}:]*$/;

interface Output {
  text: string;
  /** Two words or numbers are never written without a blank between them. */
  isAfterWord: boolean;
}

/**
 * The text is made of tokens, not cut out of the query: where servers differ in where a comment, a string or a word
 * ends, none of them reads anything but what was parsed here.
 * @param insertions in the order of the query.
 * @throws Refused
 */
export function print(
  query: string,
  tokens: readonly Token[],
  { insertions, matcher }: { insertions: readonly Insertion[]; matcher: string },
): string {
  const output: Output = { text: "", isAfterWord: false };
  let [at, next] = [0, 0];
  const printBetween = (to: number): void => {
    for (let insertion = insertions[next]; insertion !== undefined && insertion.at <= to; ) {
      addBetween(output, query, { from: at, to: insertion.at });
      addMatcher(output, insertion, matcher);
      at = insertion.at;
      next += 1;
      insertion = insertions[next];
    }
    addBetween(output, query, { from: at, to });
  };
  for (const { from, to, text } of tokens) {
    printBetween(from);
    if (text === "") addBlank(output);
    else addWord(output, text);
    at = to;
  }
  printBetween(query.length);
  return output.text.trimEnd();
}

function addWord(output: Output, text: string): void {
  const isWord = /^[\w:.]/.test(text);
  if (isWord && output.isAfterWord) addBlank(output);
  output.text += text;
  output.isAfterWord = isWord;
}

function addBlank(output: Output): void {
  if (output.text !== "" && !output.text.endsWith(" ")) output.text += " ";
  output.isAfterWord = false;
}

function addBetween(output: Output, query: string, { from, to }: { from: number; to: number }): void {
  const between = query.slice(from, to);
  if (!BETWEEN.test(between)) {
    const message = `${JSON.stringify(between)} is not something that Prometheus reads between words`;
    throw new Refused("Syntax", message, { from, to });
  }
  for (const [index, signs] of between.split(BLANKS).entries()) {
    if (index > 0) addBlank(output);
    if (signs === "") continue;
    output.text += signs;
    output.isAfterWord = false;
  }
}

function addMatcher(output: Output, { hasBraces }: Insertion, matcher: string): void {
  if (hasBraces) {
    output.text = output.text.trimEnd();
    output.text += /[{,]$/.test(output.text) ? matcher : `,${matcher}`;
  } else output.text += `{${matcher}}`;
  output.isAfterWord = false;
}
