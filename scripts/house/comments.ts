// Finds the sentence that opens a file.
import { basename } from "node:path";
import type { SourceFile } from "../source/parse.ts";
import type { Node } from "../source/walk.ts";

/**
 * Whether a file says at its top what it is: by a comment before everything else, or by the docstring of its main
 * export, which is the one that is named as the file, or else the first. A file of re-exports needs the comment.
 */
export function opensWithSentence(file: SourceFile): boolean {
  const first = file.program.body[0];
  if (first === undefined) return true;
  const above = file.comments.filter(({ end, value }) => end <= first.start && /[a-z]/i.test(value));
  if (above.some(({ type }) => type === "Line" || first.type === "ImportDeclaration")) return true;
  const exported = file.program.body.filter(
    (statement) => statement.type === "ExportNamedDeclaration" && statement.declaration !== null,
  );
  const main =
    exported.find((statement) => declares(statement, camelCase(basename(file.path, ".ts")))) ?? exported[0];
  return main !== undefined && hasDocstring(file, main);
}

function declares(statement: Node, name: string): boolean {
  if (statement.type !== "ExportNamedDeclaration" || statement.declaration === null) return false;
  const { declaration } = statement;
  const ids = "declarations" in declaration ? declaration.declarations.map(({ id }) => id) : [declaration.id];
  return ids.some((id) => id?.type === "Identifier" && id.name.toLowerCase() === name.toLowerCase());
}

function camelCase(name: string): string {
  return name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** Whether a comment ends right above a node. */
function hasDocstring({ comments, text }: SourceFile, node: Node): boolean {
  return comments.some(
    ({ type, end }) => type === "Block" && end <= node.start && text.slice(end, node.start).trim() === "",
  );
}
