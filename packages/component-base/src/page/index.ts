// A built page, as both of its servers serve it.
import { readdir, readFile, stat } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";

const compress = promisify(gzip);

/** A file as it is sent. */
export interface PageFile {
  readonly type: string;
  /** Of Cache-Control. */
  readonly cache: string;
  readonly bytes: Buffer;
  readonly compressed: Buffer;
}

/** By path below the page, such as "assets/index-1a2b3c4d.js"; "" is its first file. */
export type PageFiles = ReadonlyMap<string, PageFile>;

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
};

/** Our page has a tenth of it: a folder with more is not the page. */
const maxFiles = 200;
const maxBytes = 8 * 1024 * 1024;

/** The name changes with the content. */
const hashed = /^assets\/.*-[\w-]{8}\.\w+$/;

/** @throws Error, also where the folder is too large for a page, or has no index.html. */
export async function readPageFiles(folder: string): Promise<PageFiles> {
  const files = new Map<string, PageFile>();
  let size = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const type = types[extname(entry.name)];
    if (!entry.isFile() || type === undefined) continue;
    const file = join(entry.parentPath, entry.name);
    size += (await stat(file)).size;
    if (files.size >= maxFiles || size > maxBytes)
      throw new Error(`it has more than ${maxFiles} files, or more than ${maxBytes / 1024 / 1024} MiB`);
    const path = relative(folder, file).split(sep).join("/");
    const bytes = await readFile(file);
    files.set(path, { type, cache: cacheOf(path), bytes, compressed: await compress(bytes) });
  }
  const index = files.get("index.html");
  if (index === undefined) throw new Error("it has no index.html");
  return files.set("", index);
}

function cacheOf(path: string): string {
  if (hashed.test(path)) return "public, max-age=31536000, immutable";
  return path === "index.html" ? "no-store" : "no-cache";
}

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join("; ");

/** The page may load nothing but its own files and data, and no other page may show it. */
export const securityHeaders: Readonly<Record<string, string>> = {
  "Content-Security-Policy": policy,
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
};
