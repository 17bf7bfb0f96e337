// Checks imports and file circles by the table.
import { posix } from "node:path";
import { circlesOf } from "../source/circles.ts";
import { isProduct, isTesting, packageOf } from "../source/files.ts";
import type { SourceFile } from "../source/parse.ts";
import { homes, type Row, rows } from "./table.ts";

const scope = "@plimsoll/";
const table: ReadonlyMap<string, Row> = new Map(rows.map((row) => [row.name, row]));

/** Each forbidden import, as `file:line: "target" complaint`. */
export function importViolations(files: readonly SourceFile[]): readonly string[] {
  return files.flatMap(({ path, imports }) => {
    const row = table.get(packageOf(path));
    if (row === undefined)
      return [`${path}: package "${packageOf(path)}" has no row in scripts/boundaries/table.ts`];
    return imports.flatMap(({ target, line }) => {
      const complaint = complaintAbout(target, path, row);
      return complaint === undefined ? [] : [`${path}:${line}: "${target}" ${complaint}`];
    });
  });
}

function complaintAbout(target: string, path: string, row: Row): string | undefined {
  if (row.mayImport === "anything" && isProduct(path))
    return "is imported by a source of a package that has tests only";
  if (target.startsWith(".")) return relativeComplaint(target, path, row);
  if (target.startsWith(scope)) return packageComplaint(target.slice(scope.length), path, row);
  if (!isProduct(path)) return undefined;
  const library = Object.keys(homes).find((name) => isBelow(target, name));
  if (library !== undefined && homes[library]?.includes(row.name)) return undefined;
  if (row.runsInBrowser && !isServed(path, row)) return "is not for a package that runs in a browser";
  if (library === undefined) return undefined;
  return `has its home in ${homes[library]?.join(" and ")}`;
}

function relativeComplaint(target: string, path: string, row: Row): string | undefined {
  const found = posix.join(posix.dirname(path), target);
  if (!found.startsWith(`${folderOf(row)}/`)) return "reaches into another package";
  if (isProduct(path) && !isProduct(found)) return "leads from src to what is not src";
  if (isTesting(found) && !isForTests(path, row)) return "is for tests";
  return isProduct(path) && isServed(found, row) && !isServed(path, row)
    ? "leads to what does not run in a browser"
    : undefined;
}

function isServed(path: string, { servesFrom, ...row }: Row): boolean {
  return servesFrom !== undefined && path.startsWith(`${folderOf(row)}/src/${servesFrom}/`);
}

function packageComplaint(entry: string, path: string, row: Row): string | undefined {
  const isTest = isForTests(path, row);
  const [name = ""] = entry.split("/");
  if (name === row.name) return isProduct(path) ? "is the package itself" : undefined;
  if (entry.endsWith("/testing") && !isTest) return "is for tests";
  if (table.get(name)?.isDaemon && row.folder !== "tools")
    return "is a process, which no other package imports";
  if (isTest && table.get(name)?.isForEveryTest) return undefined;
  if (row.mayImport === "anything" || row.mayImport.some((allowed) => isBelow(entry, allowed)))
    return undefined;
  return `is not in the row of ${row.name} in scripts/boundaries/table.ts`;
}

/** Tests, tools, and `testing` entries, which may be made from those of other packages. */
function isForTests(path: string, row: Row): boolean {
  return !isProduct(path) || row.folder === "tools" || isTesting(path);
}

function isBelow(entry: string, allowed: string): boolean {
  return entry === allowed || entry.startsWith(`${allowed}/`);
}

function folderOf({ folder, name }: Row): string {
  return `${folder ?? "packages"}/${name}`;
}

/** What is wrong with the table itself, given the folders of the packages that exist. */
export function tableViolations(folders: readonly string[]): readonly string[] {
  return rows.flatMap((row, place) => {
    const above = new Map(rows.slice(0, place).map((earlier) => [earlier.name, earlier]));
    const named = row.mayImport === "anything" ? [] : row.mayImport;
    const missing = !folders.includes(folderOf(row));
    return [
      ...(missing ? [`${folderOf(row)} has a row and does not exist`] : []),
      ...named.flatMap((entry) => {
        const [name = ""] = entry.split("/");
        const found = above.get(name);
        if (found === undefined) return [`${row.name} may import ${entry}, which stands below it`];
        if (found.folder === "tools" && row.folder !== "tools" && !found.isForEveryTest)
          return [`${row.name} may import ${entry}, which is a tool`];
        return row.isPublic && !found.isPublic
          ? [`${row.name} is public and may import ${entry}, which is not`]
          : [];
      }),
    ];
  });
}

/** Groups of files that import each other, type imports included. */
export function fileCircles(files: readonly SourceFile[]): readonly (readonly string[])[] {
  const paths = new Set(files.map(({ path }) => path));
  return circlesOf(
    new Map(
      files.map(({ path, imports }) => [
        path,
        imports
          .filter(({ target }) => target.startsWith("."))
          .map(({ target }) => posix.join(posix.dirname(path), target))
          .filter((target) => paths.has(target)),
      ]),
    ),
  );
}

/** Files that import each other. */
export function circleViolations(files: readonly SourceFile[]): readonly string[] {
  return fileCircles(files).map((circle) => `circle of files: ${circle.join(" ↔ ")}`);
}
