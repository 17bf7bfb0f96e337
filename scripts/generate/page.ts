// Pages that are written by hand but for parts between markers.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../source/files.ts";

/** The page with each part replaced by its text. @throws when a marker is missing */
export function filled(path: string, parts: Readonly<Record<string, string>>) {
  const page = readFileSync(join(root, path), "utf8");
  return {
    [path]: Object.entries(parts).reduce((text, [name, part]) => withGenerated(text, name, part), page),
  };
}

/** The page with the text between its two markers replaced. @throws when a marker is missing */
export function withGenerated(page: string, name: string, text: string): string {
  const [open, close] = [`<!-- generated: ${name} -->`, `<!-- end of ${name} -->`];
  const [start, end] = [page.indexOf(open), page.indexOf(close)];
  if (start < 0 || end < start) throw new Error(`no ${open} … ${close}`);
  return `${page.slice(0, start)}${open}\n\n${text}\n\n${page.slice(end)}`;
}
