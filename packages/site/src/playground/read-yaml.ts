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
      return refused(`line ${line}, column ${col}`, error.message);
    }
    return { ok: true, value: document.toJS({ maxAliasCount: 0 }) as unknown };
  } catch (error) {
    // Aliases, and thousands of levels.
    return refused("", `cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function refused(path: string, message: string): YamlRead {
  return { ok: false, problem: { path, message } };
}
