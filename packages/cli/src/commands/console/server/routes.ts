// The paths of the console: files of the page to whoever asks, data to the browser that brought the code.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { PageFiles } from "@plimsoll/component-base/page";
import { securityHeaders } from "@plimsoll/component-base/page";
import type { ConsoleIndex } from "@plimsoll/decisions";
import {
  checkNamespace,
  RequestError,
  readAddress,
  readObject,
  type ServeDecisions,
  sendFile,
  sendJson,
  splitAddress,
} from "@plimsoll/decisions/serve";
import type { DecisionData, FindingsData, HistoryData } from "../data/source.ts";
import type { Idle } from "./idle.ts";
import { sendFailure } from "./respond.ts";
import type { Session } from "./session.ts";

export interface Routes {
  /** They may be on their way: whoever asks for one waits. */
  readonly files: Promise<PageFiles>;
  readonly session: Session;
  readonly serve: ServeDecisions;
  readonly idle: Idle;
  /** A code was exchanged. */
  readonly onOpened: () => void;
  readonly index: () => Promise<ConsoleIndex>;
  /** Those that are shown at this moment. */
  readonly decisions: () => Promise<DecisionData>;
  readonly findings: FindingsData;
  readonly history: HistoryData | undefined;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

const codeHeader = "plimsoll-code";
const page = "/console/";

/** Throws what the data throw. */
export function createRoutes(routes: Routes): Handler {
  return async (request, response) => {
    const { path, parameters } = splitAddress(request.url ?? "/");
    if (path === "/apis/console/v1/session") return exchange(routes, request, response);
    if (path.startsWith("/apis/")) {
      if (!routes.session.isKnown(request)) return sendUnknown(request, response);
      return sendData(routes, request, response);
    }
    if (path === "/" || path === "/console") {
      const search = parameters.size === 0 ? "" : `?${parameters.toString()}`;
      response.writeHead(302, { ...securityHeaders, Location: `${page}${search}` }).end();
      return;
    }
    const file = path.startsWith(page) ? (await routes.files).get(path.slice(page.length)) : undefined;
    if (file === undefined) throw RequestError.nothingAt(path);
    response.setHeaders(new Map(Object.entries(securityHeaders)));
    sendFile({ request, response }, file);
    return;
  };
}

async function exchange(
  { session, onOpened }: Routes,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const code = request.headers[codeHeader];
  const cookie = request.method === "GET" && typeof code === "string" ? session.exchange(code) : undefined;
  if (cookie === undefined) return sendUnknown(request, response);
  response.writeHead(204, { ...securityHeaders, "Cache-Control": "no-store", "Set-Cookie": cookie }).end();
  onOpened();
}

function sendUnknown(request: IncomingMessage, response: ServerResponse): void {
  const failed = new RequestError({
    code: 401,
    reason: "Unauthorized",
    message: "open the console with the address in the terminal: each address works in one browser only",
  });
  sendFailure(request, response, failed.failure, { "WWW-Authenticate": "Plimsoll-Code" });
}

async function sendData(routes: Routes, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { idle, serve, findings, history } = routes;
  // Nothing of the cluster stays on a disk.
  response.setHeaders(new Map(Object.entries({ ...securityHeaders, "Cache-Control": "no-store" })));
  const { path, parameters } = splitAddress(request.url ?? "/");
  const names = [...parameters.keys()];
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw RequestError.invalid(twice, "is there twice");
  const exchange = { request, response };
  if (path === "/apis/console/v1") return sendJson(exchange, await routes.index());
  if (path === "/apis/console/v1/findings")
    return sendJson(exchange, await findings.of(checkNamespace(parameters)));
  const [, part, key = ""] = /^\/apis\/console\/v1\/(findings|history)\/(.+)$/.exec(path) ?? [];
  if (part === "findings") return sendJson(exchange, await findings.ofObject(readObject(key, path)));
  if (part === "history") {
    const object = readObject(key, path);
    if (history === undefined)
      throw RequestError.notFound("start the console with --prometheus-url for longer histories");
    return sendJson(exchange, await history.of(object, parameters));
  }
  const asked = readAddress(request.url ?? "/");
  const reader = await routes.decisions();
  if (asked.part !== "stream") return serve(asked, reader, { ...exchange, caller });
  const release = idle.hold();
  try {
    await serve(asked, reader, { ...exchange, caller });
  } finally {
    release();
  }
}

const caller = { name: "" };
