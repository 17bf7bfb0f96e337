// Reads one TypeScript file: its syntax tree, its comments and what it imports, types included.
import { type Comment, type Program, parseSync, type Span, Visitor } from "oxc-parser";

/** One mention of another module. */
export interface Import {
  /** As written, e.g. `./parse.ts` or `@plimsoll/core`. */
  readonly target: string;
  readonly isType: boolean;
  readonly line: number;
}

export interface SourceFile {
  /** From the repository's root, with forward slashes. */
  readonly path: string;
  readonly text: string;
  readonly program: Program;
  readonly comments: readonly Comment[];
  readonly imports: readonly Import[];
}

/** Throws when the text is not valid TypeScript. */
export function parseSource(path: string, text: string): SourceFile {
  const { program, module, comments, errors } = parseSync(path, text);
  const error = errors[0];
  if (error !== undefined) throw new Error(`${path}: ${error.message}`);
  const found: { readonly target: string; readonly isType: boolean; readonly at: number }[] = [];
  for (const { moduleRequest, entries, start } of module.staticImports) {
    const isType = entries.length > 0 && entries.every((entry) => entry.isType);
    found.push({ target: moduleRequest.value, isType: isType || startsWithType(start), at: start });
  }
  for (const { entries, start } of module.staticExports) {
    const target = entries[0]?.moduleRequest?.value;
    if (target !== undefined)
      found.push({ target, isType: entries.every((entry) => entry.isType), at: start });
  }
  for (const { moduleRequest, start } of module.dynamicImports) {
    const target = stringAt(moduleRequest);
    if (target !== undefined) found.push({ target, isType: false, at: start });
  }
  new Visitor({
    TSImportType({ source, start }) {
      found.push({ target: source.value, isType: true, at: start });
    },
  }).visit(program);
  const lines = lineStarts(text);
  const imports = found
    .sort((a, b) => a.at - b.at)
    .map(({ target, isType, at }) => ({ target, isType, line: lineAt(lines, at) }));
  return { path, text, program, comments, imports };

  function startsWithType(start: number): boolean {
    return text.startsWith("import type ", start);
  }

  function stringAt({ start, end }: Span): string | undefined {
    return /^["'`]([^"'`$]+)["'`]$/.exec(text.slice(start, end))?.[1];
  }
}

/** The offset at which each line starts. */
export function lineStarts(text: string): readonly number[] {
  return [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
}

/** The line of an offset, counted from 1. */
export function lineAt(starts: readonly number[], offset: number): number {
  let [low, high] = [0, starts.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle;
  }
  return low + 1;
}
