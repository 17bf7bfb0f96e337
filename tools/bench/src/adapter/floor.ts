// A baseline: a bare HTTPS server in Node that sends the same bytes, without authentication.
import { constants } from "node:crypto";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { serveParent } from "@plimsoll/testbed";

export interface FloorSetup {
  readonly cert: string;
  readonly key: string;
  /** By case name. */
  readonly bodies: Readonly<Record<string, string>>;
}

export interface FloorAddress {
  readonly port: number;
}

async function start({ cert, key, bodies }: FloorSetup): Promise<FloorAddress> {
  const bodyOf = new Map<string, () => Buffer>();
  for (const [name, text] of Object.entries(bodies)) {
    const bytes = Buffer.from(text);
    const object: unknown = JSON.parse(text);
    bodyOf.set(`/prebuilt/${name}`, () => bytes);
    bodyOf.set(`/stringified/${name}`, () => Buffer.from(`${JSON.stringify(object)}\n`));
  }
  const server = createServer(
    {
      cert,
      key,
      requestCert: true,
      rejectUnauthorized: false,
      secureOptions: constants.SSL_OP_NO_TICKET,
      noDelay: true,
    },
    (request, response) => {
      const body = bodyOf.get(request.url ?? "")?.();
      if (body === undefined) {
        response.writeHead(404).end();
        return;
      }
      response.writeHead(200, { "Content-Type": "application/json", "Content-Length": body.length });
      response.end(body);
    },
  );
  // As long as the adapter.
  server.keepAliveTimeout = 120_000;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { port: (server.address() as AddressInfo).port };
}

serveParent(start);
