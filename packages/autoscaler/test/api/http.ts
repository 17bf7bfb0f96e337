// The fake API server behind a port, for whole processes and for what happens to connections.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Sink } from "./objects.ts";
import { failure, type Reply } from "./responses.ts";
import type { Recorded } from "./unscripted.ts";

/** A reply, or a watch: called once its headers are out; returns what ends it. */
export type Answer = Reply | ((sink: Sink) => () => void);

/** `answer`: what the server does with a request. */
export async function serveHttp(answer: (request: Recorded) => Promise<Answer>) {
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      send(response, failure(500, "InternalError", String(error)));
    });
  });
  const listen = (port: number) =>
    new Promise<void>((resolve) => {
      server.listen(port, "127.0.0.1", resolve);
    });
  const close = (): Promise<unknown> => {
    server.closeAllConnections();
    return new Promise((resolve) => {
      server.close(resolve);
    });
  };
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const folder = await mkdtemp(join(tmpdir(), "plimsoll-autoscaler-"));

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parsed = new URL(request.url ?? "/", url);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const answered = await answer({
      method: request.method ?? "GET",
      path: decodeURIComponent(parsed.pathname),
      query: parsed.searchParams,
      body: text === "" ? undefined : JSON.parse(text),
      agent: request.headers.authorization?.replace("Bearer ", "") ?? request.headers["user-agent"] ?? "",
    });
    if (typeof answered !== "function") return send(response, answered);
    response.writeHead(200, { "content-type": "application/json" });
    response.flushHeaders();
    const end = answered({
      write: (line) => void response.write(line),
      destroy: () => void response.destroy(),
    });
    response.on("close", end);
  }

  /** A file for a client of this name, which its requests are then recorded under. */
  async function kubeconfigOf(agent: string | undefined): Promise<string> {
    const file = join(folder, `kubeconfig-${agent ?? "no-agent"}`);
    const config = {
      apiVersion: "v1",
      kind: "Config",
      clusters: [{ name: "fake", cluster: { server: url } }],
      users: [{ name: "user", user: agent === undefined ? {} : { token: agent } }],
      contexts: [{ name: "fake", context: { cluster: "fake", user: "user" } }],
      "current-context": "fake",
    };
    await writeFile(file, JSON.stringify(config));
    return file;
  }

  return {
    url,
    kubeconfig: await kubeconfigOf(undefined),
    kubeconfigOf,
    async stop() {
      await close();
      await rm(folder, { recursive: true });
    },
    /** Refuses all connections until the returned function is called. */
    async outage() {
      await close();
      return () => listen(port);
    },
  };
}

function send(response: ServerResponse, { code, body, headers, send }: Reply): void {
  if (response.headersSent || response.destroyed) return;
  if (send !== undefined) return send(response);
  const isText = typeof body === "string";
  response.writeHead(code, { "content-type": isText ? "text/plain" : "application/json", ...headers });
  response.end(isText ? body : JSON.stringify(body));
}
