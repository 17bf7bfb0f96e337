import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import type { TLSSocket } from "node:tls";
import { type Authority, createAuthority, type Identity, issue } from "@plimsoll/kube/testing";
import { createPrometheusClient, type TlsOptions } from "@plimsoll/prometheus";
import { afterAll, beforeAll, expect, test } from "vitest";

const answer = '{"status":"success","data":{"resultType":"scalar","result":[1,"1"]}}';
let authority: Authority;
let client: Identity;
let server: Server;
let connections = 0;
const tokens: (string | undefined)[] = [];

beforeAll(async () => {
  authority = await createAuthority("prometheus-ca");
  client = await issue(authority, "CN=adapter");
  const serving = await issue(authority, "CN=prometheus", { usage: "server", hosts: ["127.0.0.1"] });
  server = createServer(
    { cert: serving.cert, key: serving.key, ca: authority.pem, requestCert: true, rejectUnauthorized: false },
    (request, response) => {
      tokens.push(request.headers.authorization);
      response.writeHead((request.socket as TLSSocket).authorized ? 200 : 403);
      response.end(answer);
    },
  );
  server.on("secureConnection", () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});

afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function outcome(tls: TlsOptions | undefined): Promise<unknown> {
  const { port } = server.address() as AddressInfo;
  const prometheus = createPrometheusClient({
    url: `https://127.0.0.1:${port}`,
    bearerToken: () => "secret",
    ...(tls === undefined ? {} : { tls }),
  });
  try {
    await prometheus.query("a");
    return (await prometheus.query("b")).type;
  } catch (error) {
    return error instanceof Error && "kind" in error ? error.kind : error;
  } finally {
    await prometheus.close();
  }
}

test("a CA of its own and a client certificate, over one connection", async () => {
  connections = 0;
  expect(await outcome({ ca: authority.pem, cert: client.cert, key: client.key })).toBe("scalar");
  expect(connections).toBe(1);
});

test("without the client certificate Prometheus refuses", async () => {
  expect(await outcome({ ca: authority.pem })).toBe("unauthorized");
});

test("a server of an unknown CA is sent no token", async () => {
  tokens.length = 0;
  expect(await outcome(undefined)).toBe("unreachable");
  expect(await outcome({ ca: (await createAuthority("another")).pem })).toBe("unreachable");
  expect(tokens).toEqual([]);
  expect(await outcome({ insecureSkipVerify: true })).toBe("unauthorized");
  expect(tokens).toEqual(["Bearer secret"]);
});
