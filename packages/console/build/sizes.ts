// What a reader's browser loads until each page is shown, compressed, beside its budget.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

interface Chunk {
  readonly file: string;
  readonly src?: string;
  readonly isEntry?: boolean;
  readonly imports?: readonly string[];
  readonly css?: readonly string[];
}

type Manifest = Readonly<Record<string, Chunk>>;

/** Sizes in bytes, of the files that a page needs. */
export interface PageSize {
  readonly page: string;
  readonly js: number;
  readonly css: number;
  readonly files: readonly string[];
}

interface Page {
  readonly page: string;
  /** Modules that are loaded when they are needed, in the order of their need. */
  readonly modules: readonly string[];
  readonly jsBudget: number;
}

const kB = 1000;
export const cssBudget = 8 * kB;

export const pages: readonly Page[] = [
  { page: "first page (fleet)", modules: ["src/fleet/fleet-page.tsx"], jsBudget: 30 * kB },
  {
    page: "object with charts",
    modules: ["src/object/object-page.tsx", "src/chart/plot.ts"],
    jsBudget: 60 * kB,
  },
  { page: "trace", modules: ["src/trace/trace-page.tsx"], jsBudget: 60 * kB },
  { page: "what-if", modules: ["src/what-if/what-if-page.tsx"], jsBudget: 90 * kB },
  {
    // The simulator and the chart, which come when they are asked for: more than a page may have when it is opened.
    page: "what-if, played",
    modules: ["src/what-if/what-if-page.tsx", "src/what-if/play.ts", "src/chart/plot.ts"],
    jsBudget: 96.3 * kB,
  },
  { page: "shadow", modules: ["src/shadow/shadow-page.tsx"], jsBudget: 60 * kB },
  { page: "findings", modules: ["src/findings/findings-page.tsx"], jsBudget: 60 * kB },
];

/** `dist`: the folder of the built page. @throws where it is not built */
export function pageSizes(dist: string): readonly PageSize[] {
  const file = join(dist, ".vite", "manifest.json");
  if (!existsSync(file)) throw new Error(`${dist} is not built; npm run task -- build-console builds it`);
  const manifest = JSON.parse(readFileSync(file, "utf8")) as Manifest;
  const entry = Object.keys(manifest).find((name) => manifest[name]?.isEntry);
  if (entry === undefined) throw new Error(`${file} has no entry`);
  return pages.map(({ page, modules }) => {
    const chunks = [...closure(manifest, [entry, ...modules])];
    const files = chunks.map(({ file: name }) => name);
    const styles = new Set(chunks.flatMap(({ css = [] }) => css));
    return { page, files, js: sum(dist, files), css: sum(dist, [...styles]) };
  });
}

function closure(manifest: Manifest, names: readonly string[], found = new Set<Chunk>()): ReadonlySet<Chunk> {
  for (const name of names) {
    const chunk = manifest[name];
    if (chunk === undefined) throw new Error(`the build has no chunk of ${name}`);
    if (found.has(chunk)) continue;
    found.add(chunk);
    closure(manifest, chunk.imports ?? [], found);
  }
  return found;
}

function sum(dist: string, files: readonly string[]): number {
  return files.reduce(
    (total, file) => total + gzipSync(readFileSync(join(dist, file)), { level: 9 }).length,
    0,
  );
}
