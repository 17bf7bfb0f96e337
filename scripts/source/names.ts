// Resolves names over files and packages: what a file declares, exports and imports.
import { posix } from "node:path";
import type { SourceFile } from "./parse.ts";
import type { Node } from "./walk.ts";

/** A name in a file, where it is declared or passed on from. */
export interface Named {
  readonly path: string;
  readonly name: string;
}

export interface Declaration extends Named {
  readonly file: SourceFile;
  /** The whole statement, with `export` where it has that. */
  readonly statement: Node;
  /** The declared function, class, interface or alias; the initial value of a variable. */
  readonly node: Node;
}

export interface Names {
  /** The declaration that a name of a file leads to, through imports and re-exports. */
  readonly declarationOf: (named: Named) => Declaration | undefined;
  /** All names that a file exports, those of `export *` included. */
  readonly exportsOf: (path: string) => readonly string[];
}

interface FileNames {
  readonly declared: ReadonlyMap<string, Declaration>;
  /** Exported or imported name → where it comes from. */
  readonly exported: ReadonlyMap<string, Named>;
  readonly imported: ReadonlyMap<string, Named>;
  readonly stars: readonly string[];
}

/** `entryOf` gives the file of another package's entry, e.g. of `@plimsoll/core`, where it is known. */
export function namesOf(files: readonly SourceFile[], entryOf: (entry: string) => string | undefined): Names {
  const tables = new Map(files.map((file) => [file.path, readNames(file, entryOf)]));
  return { declarationOf: (named) => resolve(named, new Set()), exportsOf };

  function resolve({ path, name }: Named, seen: Set<string>): Declaration | undefined {
    const table = tables.get(path);
    if (table === undefined || seen.has(`${path}#${name}`)) return undefined;
    seen.add(`${path}#${name}`);
    const declared = table.declared.get(name);
    if (declared !== undefined) return declared;
    const next = table.imported.get(name) ?? table.exported.get(name);
    if (next !== undefined && (next.path !== path || next.name !== name)) return resolve(next, seen);
    for (const star of table.stars) {
      const found = resolve({ path: star, name }, seen);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  function exportsOf(path: string): readonly string[] {
    const table = tables.get(path);
    if (table === undefined) return [];
    return [...new Set([...table.exported.keys(), ...table.stars.flatMap(exportsOf)])];
  }
}

function readNames(file: SourceFile, entryOf: (entry: string) => string | undefined): FileNames {
  const declared = new Map<string, Declaration>();
  const exported = new Map<string, Named>();
  const imported = new Map<string, Named>();
  const stars: string[] = [];
  for (const statement of file.program.body) read(statement);
  return { declared, exported, imported, stars };

  function read(statement: Node): void {
    if (statement.type === "ImportDeclaration") {
      const path = pathOf(statement.source.value);
      for (const specifier of statement.specifiers) {
        if (path === undefined || specifier.type !== "ImportSpecifier") continue;
        imported.set(specifier.local.name, { path, name: nameOf(specifier.imported) });
      }
    } else if (statement.type === "ExportAllDeclaration") {
      const path = pathOf(statement.source.value);
      if (path !== undefined && statement.exported === null) stars.push(path);
    } else if (statement.type === "ExportNamedDeclaration") {
      const path = statement.source === null ? file.path : pathOf(statement.source.value);
      for (const { local, exported: name } of statement.specifiers) {
        if (path !== undefined) exported.set(nameOf(name), { path, name: nameOf(local) });
      }
      for (const name of declare(statement.declaration, statement))
        exported.set(name, { path: file.path, name });
    } else {
      declare(statement, statement);
    }
  }

  function declare(node: Node | null, statement: Node): readonly string[] {
    const found = node === null ? [] : declaredIn(node);
    for (const [name, value] of found) {
      declared.set(name, { path: file.path, name, file, statement, node: value });
    }
    return found.map(([name]) => name);
  }

  function pathOf(target: string): string | undefined {
    return target.startsWith(".") ? posix.join(posix.dirname(file.path), target) : entryOf(target);
  }
}

function nameOf(node: Node): string {
  if (node.type === "Identifier") return node.name;
  return node.type === "Literal" ? String(node.value) : "";
}

function declaredIn(node: Node): readonly (readonly [string, Node])[] {
  if (node.type === "VariableDeclaration") {
    return node.declarations.flatMap(({ id, init }) =>
      id.type === "Identifier" ? [[id.name, init ?? id] as const] : [],
    );
  }
  const isNamed =
    node.type === "FunctionDeclaration" ||
    node.type === "TSDeclareFunction" ||
    node.type === "ClassDeclaration" ||
    node.type === "TSInterfaceDeclaration" ||
    node.type === "TSTypeAliasDeclaration";
  return isNamed && node.id !== null ? [[node.id.name, node]] : [];
}
