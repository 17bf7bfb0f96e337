// Reads the YAML of one field of the page: bounded, without aliases, and with the place of what is wrong.
import { LineCounter, parseDocument } from "yaml";

/** Something wrong with what a visitor wrote, or a link brought. */
export interface InputProblem {
  /** Such as `spec.metrics[0].resource.name`, or `line 3, column 5`; empty for the whole text. */
  readonly path: string;
  readonly message: string;
}

/** Characters of one text. Its objects and links are read on each key. */
export const maxTextLength = 16_384;

const tooDeep = "is nested too deep; write it with fewer levels";

export type YamlRead =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: InputProblem };

export function readYaml(text: string): YamlRead {
  if (text.length > maxTextLength)
    return refused("", `has ${text.length} characters, and ${maxTextLength} are read; shorten it`);
  const lines = new LineCounter();
  try {
    const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
    const [error] = document.errors;
    if (error !== undefined) {
      const { line, col } = lines.linePos(error.pos[0]);
      // The parser reports that its own calls are too deep as an error of the text.
      const isDeep = error.message.includes("call stack") || error.message.includes("recursion");
      return refused(`line ${line}, column ${col}`, isDeep ? tooDeep : error.message);
    }
    return { ok: true, value: document.toJS({ maxAliasCount: 0 }) as unknown };
  } catch (error) {
    // Aliases, and levels that only the conversion has too many of.
    const isDeep = error instanceof RangeError;
    return refused(
      "",
      isDeep ? tooDeep : `cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

function refused(path: string, message: string): YamlRead {
  return { ok: false, problem: { path, message } };
}
