// Finds what stands in several packages, and the largest bag of dependencies.
import { packageOf } from "../source/files.ts";
import type { Names } from "../source/names.ts";
import type { SourceFile } from "../source/parse.ts";
import type { Node } from "../source/walk.ts";

/** A type, function, class or constant at the top of a file. */
export interface Declared {
  readonly name: string;
  readonly path: string;
  readonly node: Node;
  /** With single spaces, without comments before it. */
  readonly text: string;
  readonly isExported: boolean;
}

export function declaredIn({ path, text, program }: SourceFile): readonly Declared[] {
  return program.body.flatMap((statement) => {
    const node = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
    if (node === null) return [];
    const ids =
      node.type === "VariableDeclaration"
        ? node.declarations.map(({ id }) => id)
        : "id" in node && "body" in node && node.id !== null
          ? [node.id]
          : node.type === "TSTypeAliasDeclaration"
            ? [node.id]
            : [];
    const body = text.slice(node.start, node.end).replaceAll(/\s+/g, " ");
    return ids.flatMap((id) =>
      id.type === "Identifier"
        ? [{ name: id.name, path, node, text: body, isExported: node !== statement }]
        : [],
    );
  });
}

/** Declarations with the same words in two packages or more. A number or a text of one name may mean two things. */
export function identical(declared: readonly Declared[]): readonly string[] {
  const groups = new Map<string, Declared[]>();
  for (const one of declared.filter(({ node }) => !isLiteral(node)))
    groups.set(one.text, [...(groups.get(one.text) ?? []), one]);
  return [...groups.values()]
    .filter((same) => new Set(same.map(({ path }) => packageOf(path))).size > 1)
    .map((same) => `${same[0]?.name ?? ""}: ${same.map(({ path }) => path).join(", ")}`);
}

/** Exported types of data with these words: their members, or the types that they extend. */
export function typesWith(declared: readonly Declared[], words: RegExp): readonly string[] {
  return declared
    .filter(({ node, isExported }) => isExported && isType(node))
    .filter(({ text }) => words.test(text) && !text.includes("=>") && !/\w\(|Props\b/.test(text))
    .map(({ name, path }) => `${path}: ${name}`);
}

function isLiteral(node: Node): boolean {
  return (
    node.type === "VariableDeclaration" && node.declarations.every(({ init }) => init?.type === "Literal")
  );
}

function isType({ type }: Node): boolean {
  return type === "TSInterfaceDeclaration" || type === "TSTypeAliasDeclaration";
}

/** The bags of dependencies with their members, those of extended types included; the largest first. */
export function bags(
  declared: readonly Declared[],
  names: Names,
): readonly { readonly members: number; readonly place: string }[] {
  return declared
    .filter(
      ({ name, node }) => node.type === "TSInterfaceDeclaration" && /(?:Deps|Context|Seams)$/.test(name),
    )
    .map(({ name, path, node }) => ({ members: membersOf(node, path, names), place: `${path}: ${name}` }))
    .sort((one, other) => other.members - one.members);
}

function membersOf(node: Node, path: string, names: Names): number {
  if (node.type === "TSInterfaceDeclaration") {
    const extended = node.extends.map(({ expression, typeArguments }) =>
      expression.type === "Identifier"
        ? membersOfType(expression.name, typeArguments?.params, path, names)
        : 0,
    );
    return extended.reduce((sum, members) => sum + members, node.body.body.length);
  }
  if (node.type === "TSTypeLiteral") return node.members.length;
  if (node.type === "TSIntersectionType")
    return node.types.reduce((sum, type) => sum + membersOf(type, path, names), 0);
  if (node.type === "TSTypeAliasDeclaration") return membersOf(node.typeAnnotation, path, names);
  if (node.type !== "TSTypeReference" || node.typeName.type !== "Identifier") return 0;
  return membersOfType(node.typeName.name, node.typeArguments?.params, path, names);
}

function membersOfType(name: string, params: readonly Node[] = [], path: string, names: Names): number {
  const [type, keys] = params;
  if (name === "Pick" || name === "Omit") {
    const count = keys?.type === "TSUnionType" ? keys.types.length : 1;
    if (name === "Pick" || type === undefined) return count;
    return membersOf(type, path, names) - count;
  }
  const found = names.declarationOf({ path, name });
  return found === undefined ? 0 : membersOf(found.node, found.path, names);
}
