// A baseline: a server that sends so many bytes of text.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { serveParent } from "@plimsoll/testbed";

serveParent(async ({ bytes }: { readonly bytes: number }) => {
  const body = Buffer.alloc(bytes, "plimsoll 1\n");
  const server = createServer((_request, response) => {
    response.writeHead(200, { "Content-Type": "text/plain", "Content-Length": body.length }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { port: (server.address() as AddressInfo).port };
});
