// Serves the console's page at /console/: its files are public, what it reads needs the rights of each endpoint.
import { type PageFile, type PageFiles, securityHeaders } from "@plimsoll/component-base/page";
import type { Express, Request, Response } from "express";
import { nothingHere, sendStatus } from "../status.ts";

const root = "/console/";

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
