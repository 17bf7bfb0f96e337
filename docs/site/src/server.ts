// Serves a folder of static files on loopback, under a policy that lets no page load anything from elsewhere.
import { createReadStream, statSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize, sep } from "node:path";

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".webp": "image/webp",
};

/** VitePress writes small scripts into the page itself, and styles its icons with `data:` images. */
const policy =
  "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'";

export interface SiteServer {
  readonly address: string;
  close(): Promise<void>;
}

/** `port` 0 is any free one. Rejects when the port is in use. */
export async function serveSite(folder: string, port: number): Promise<SiteServer> {
  const server = createServer((request, response) => respond(folder, request, response));
  await listen(server, port);
  const { port: used } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${used}/`,
    async close() {
      server.closeAllConnections();
      await new Promise<void>((done) => {
        server.close(() => done());
      });
    },
  };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((done, fail) => {
    server.once("error", fail);
    server.listen(port, "127.0.0.1", done);
  });
}

function respond(folder: string, request: IncomingMessage, response: ServerResponse): void {
  response.setHeader("content-security-policy", policy);
  response.setHeader("x-content-type-options", "nosniff");
  response.setHeader("referrer-policy", "no-referrer");
  if (request.method !== "GET" && request.method !== "HEAD") {
    response.writeHead(405, { allow: "GET, HEAD" }).end();
    return;
  }
  const found = fileOf(folder, request.url ?? "/");
  const path = found ?? fileOf(folder, "/404.html");
  if (path === undefined) {
    response.writeHead(404).end();
    return;
  }
  const { size } = statSync(path);
  response.writeHead(found === undefined ? 404 : 200, {
    "content-type": types[extname(path)] ?? "application/octet-stream",
    "content-length": size,
  });
  if (request.method === "HEAD") response.end();
  else
    createReadStream(path)
      .on("error", () => response.destroy())
      .pipe(response);
}

/** A file below the folder; that of a folder is its index, that of `/name` also `/name.html`. */
export function fileOf(folder: string, url: string): string | undefined {
  const path = pathOf(url);
  if (path === undefined || path.includes("\0")) return undefined;
  const place = normalize(join(folder, path));
  if (place !== folder && !place.startsWith(folder.endsWith(sep) ? folder : folder + sep)) return undefined;
  return [place, `${place}.html`, join(place, "index.html")].find(
    (candidate) => statSync(candidate, { throwIfNoEntry: false })?.isFile() === true,
  );
}

function pathOf(url: string): string | undefined {
  try {
    return decodeURIComponent(new URL(url, "http://localhost").pathname);
  } catch {
    return undefined;
  }
}
