// Writes a response to its connection.
import type { ServerResponse } from "node:http";
import { type RenderedBody, type RenderedResponse, type RenderedStream, renderError } from "./render.ts";

export function respond(rendered: RenderedResponse, response: ServerResponse): void {
  if ("run" in rendered) respondStream(rendered, response);
  else send(rendered, response);
}

/** Any failure of a request, as Status. A bug becomes 500 with its message. */
export function respondError(error: unknown, response: ServerResponse): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  send(renderError(error), response);
}

function send({ code, headers, body }: RenderedBody, response: ServerResponse): void {
  // Before a text, Node would write the headers in the encoding of the text.
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  setHeaders(headers, response);
  response.writeHead(code, { "content-length": bytes.length });
  response.end(bytes);
}

function setHeaders(headers: RenderedBody["headers"], response: ServerResponse): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}

// A client that does not read is cut off before it fills the memory.
const unsentLimitBytes = 64 * 1024 * 1024;

function respondStream({ code, headers, run }: RenderedStream, response: ServerResponse): void {
  const controller = new AbortController();
  setHeaders(headers, response);
  response.writeHead(code, { "transfer-encoding": "chunked" });
  response.flushHeaders();
  response.once("close", () => controller.abort());
  run({
    signal: controller.signal,
    write(frame) {
      if (controller.signal.aborted) return;
      response.write(frame);
      if (response.writableLength > unsentLimitBytes) response.destroy();
    },
    finish() {
      if (controller.signal.aborted) return;
      response.end();
      controller.abort();
    },
  });
}
