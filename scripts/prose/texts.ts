// Finds the texts in sources that a program may print.
import type { SourceFile } from "../source/parse.ts";
import { walk } from "../source/walk.ts";

export interface Text {
  readonly path: string;
  /** In one line; an ellipsis takes the place of each value. */
  readonly text: string;
}

/** Strings of at least two words; what a template puts in is not looked at. */
export function textsOf({ path, program }: SourceFile): readonly Text[] {
  const found: string[] = [];
  walk(program, (node) => {
    if (node.type === "Literal" && typeof node.value === "string") found.push(node.value);
    if (node.type === "TemplateLiteral") {
      found.push(node.quasis.map(({ value }) => value.cooked ?? "").join("…"));
    }
  });
  return found
    .filter((text) => /[a-z] [a-z]/i.test(text))
    .map((text) => ({ path, text: text.replaceAll(/\s+/g, " ") }));
}
