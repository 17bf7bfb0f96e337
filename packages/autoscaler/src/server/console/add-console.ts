// Serves the console's page at /console/: its files are public, what it reads needs the rights of each endpoint.
import type { Express, Request, Response } from "express";
import { nothingHere, sendStatus } from "../status.ts";
import type { PageFile, PageFiles } from "./page-files.ts";

const root = "/console/";

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
const securityHeaders: Readonly<Record<string, string>> = {
  "Content-Security-Policy": policy,
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
};

/** Only what is in `files` is served: a path is looked up there, and never on the disk. */
export function addConsole(app: Express, files: PageFiles): void {
  app.get(/^\/console$/, (_request, response) => {
    // Relative, because a proxy may have put a prefix before it.
    response.set(securityHeaders).set("Cache-Control", "no-store").redirect(308, "console/");
  });
  app.get(/^\/console\//, (request, response) => {
    response.set(securityHeaders);
    const file = files.get(request.path.slice(root.length));
    if (file === undefined) sendStatus(response, nothingHere);
    else sendFile(request, response, file);
  });
}

function sendFile(request: Request, response: Response, file: PageFile): void {
  const isCompressed = request.acceptsEncodings("gzip", "identity") === "gzip";
  const sent = isCompressed ? file.compressed : file.bytes;
  response.set({
    "Content-Type": file.type,
    "Cache-Control": file.cache,
    Vary: "Accept-Encoding",
    "Content-Length": String(sent.length),
    ...(isCompressed ? { "Content-Encoding": "gzip" } : {}),
  });
  response.end(request.method === "HEAD" ? undefined : sent);
}
