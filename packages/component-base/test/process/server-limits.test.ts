// Connections that say nothing, at each of our listeners.
import { once } from "node:events";
import { createServer } from "node:http";
import { connect, type Socket } from "node:net";
import { listen } from "@plimsoll/testbed/world";
import { expect, onTestFinished, test } from "vitest";
import { limitConnections, localLimits, type ServerLimits, serverOptions } from "../../src/process/index.ts";

async function listening(limits: ServerLimits): Promise<number> {
  const server = createServer(serverOptions(limits), (_request, response) => response.end("ok"));
  const limit = limitConnections(server, limits);
  server.on("request", ({ url, socket }) => {
    if (url === "/known") limit.keep(socket);
  });
  return (await listen(server)).port;
}

async function silent(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => {});
  await once(socket, "connect");
  return socket;
}

async function ask(socket: Socket, path: string): Promise<string> {
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
  const [answer] = (await once(socket, "data")) as [Buffer];
  return answer.toString().slice(0, 15);
}

test.each(Object.entries(localLimits))("%s: a connection that says nothing is closed", async (_, limits) => {
  // Node measures this time itself.
  const socket = await silent(await listening({ ...limits, headersTimeoutMs: 20 }));
  await once(socket.resume(), "close");
  expect(limits.headersTimeoutMs).toBeLessThanOrEqual(10_000);
});

test.each(Object.entries(localLimits))(
  "%s: the oldest silent one makes way for a request",
  async (_, limits) => {
    const port = await listening({ ...limits, connections: 3 });
    const known = await silent(port);
    expect(await ask(known, "/known")).toBe("HTTP/1.1 200 OK");
    const oldest = await silent(port);
    const closed = once(oldest, "close");
    await silent(port);
    expect(await ask(await silent(port), "/")).toBe("HTTP/1.1 200 OK");
    await closed;
    expect(await ask(known, "/known")).toBe("HTTP/1.1 200 OK");
  },
);
