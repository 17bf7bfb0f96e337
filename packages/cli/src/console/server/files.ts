// The files of the page, read once: only what is in the folder can be served.
import { readdir, readFile } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { CliError } from "../../seams.ts";
import type { Body } from "./respond.ts";

const compress = promisify(gzip);

/** By path below the page, such as "assets/index-1a2b.js"; "" is its first file. */
export type PageFiles = ReadonlyMap<string, Body>;

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
};

/** The name changes with the content. */
const hashed = /^assets\/.*-[\w-]{8}\.\w+$/;

/** @throws CliError where it is no page. */
export async function readPageFiles(folder: string): Promise<PageFiles> {
  const files = new Map<string, Body>();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const type = types[extname(entry.name)];
    if (!entry.isFile() || type === undefined) continue;
    const file = join(entry.parentPath, entry.name);
    const path = relative(folder, file).split(sep).join("/");
    const bytes = await readFile(file);
    const cache = hashed.test(path)
      ? "public, max-age=31536000, immutable"
      : path === "index.html"
        ? "no-store"
        : "no-cache";
    files.set(path, { type, bytes, cache, compressed: await compress(bytes) });
  }
  const index = files.get("index.html");
  if (index === undefined) throw new CliError(`${folder} has no index.html: the page is not built`);
  return files.set("", index);
}
