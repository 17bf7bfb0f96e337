// The paths of the console: files of the page to whoever asks, data to the browser that brought the code.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { PageFiles } from "@plimsoll/component-base/page";
import { securityHeaders } from "@plimsoll/component-base/page";
import type { DecisionData, FindingsData, HistoryData, Query } from "../data/source.ts";
import type { ConsoleIndex, ObjectKey } from "../documents.ts";
import { RequestError } from "./failure.ts";
import { type Body, bodyOfJson, sendBody, sendFailure } from "./respond.ts";
import type { Session } from "./session.ts";
import type { Streams } from "./streams.ts";

export interface Routes {
  /** They may be on their way: whoever asks for one waits. */
  readonly files: Promise<PageFiles>;
  readonly session: Session;
  readonly streams: Streams;
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
    const [path, search] = splitAt(request.url ?? "/");
    if (path === "/apis/console/v1/session") return exchange(routes, request, response);
    if (path.startsWith("/apis/")) {
      if (!routes.session.isKnown(request)) return sendUnknown(request, response);
      return sendData(routes, { path, query: readQuery(search) }, request, response);
    }
    if (path === "/" || path === "/console") {
      response
        .writeHead(302, { ...securityHeaders, Location: `${page}${search === "" ? "" : `?${search}`}` })
        .end();
      return;
    }
    const file = path.startsWith(page) ? (await routes.files).get(path.slice(page.length)) : undefined;
    if (file === undefined) throw notFound(path);
    return sendBody(request, response, file);
  };
}

function splitAt(url: string): readonly [path: string, search: string] {
  const mark = url.indexOf("?");
  return mark < 0 ? [url, ""] : [url.slice(0, mark), url.slice(mark + 1)];
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
  const failed = new RequestError(
    401,
    "Unauthorized",
    "open the console by the address that the terminal shows: each address is good for one browser",
  );
  sendFailure(request, response, failed.failure, { "WWW-Authenticate": "Plimsoll-Code" });
}

interface Address {
  readonly path: string;
  readonly query: Query;
}

async function sendData(
  routes: Routes,
  address: Address,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { streams } = routes;
  if (address.path === "/apis/decisions/v1/stream") {
    const { stream } = await routes.decisions();
    if (stream === undefined)
      throw new RequestError(404, "NotFound", "decisions are recomputed: there is no stream");
    const last = request.headers["last-event-id"];
    const lastEventId = typeof last === "string" && last !== "" ? last.slice(0, 1_000) : undefined;
    const query = chosen(address.query, ["namespace"]);
    return streams.send(request, response, (signal) => stream({ query, lastEventId, signal }));
  }
  const document = await documentAt(routes, address);
  return sendBody(
    request,
    response,
    typeof document === "string" ? textBody(document) : bodyOfJson(document),
  );
}

function textBody(text: string): Body {
  return { type: "application/json", bytes: Buffer.from(text), cache: "no-store" };
}

async function documentAt(routes: Routes, { path, query }: Address): Promise<unknown> {
  const { findings, history } = routes;
  switch (path) {
    case "/apis/console/v1":
      return await routes.index();
    case "/apis/shadow/v1":
      return await (await routes.decisions()).shadow();
    case "/apis/decisions/v1/summary":
      return await (await routes.decisions()).summary(
        chosen(query, ["namespace", "sort", "problem", "limit", "continue"]),
      );
    case "/apis/console/v1/findings":
      return await findings.of(query["namespace"]);
    default:
  }
  const { kind, object } = objectAddress(path);
  switch (kind) {
    case "decisions":
      return await (await routes.decisions()).decisions(object, chosen(query, ["limit", "before"]));
    case "record":
      return await (await routes.decisions()).record(object, chosen(query, ["before"]));
    case "findings":
      return await findings.ofObject(object);
    case "history":
      if (history === undefined)
        throw new RequestError(
          404,
          "NotFound",
          "start the console with --prometheus-url for longer histories",
        );
      return await history.of(object, chosen(query, ["from", "to"]));
  }
}

const objectPattern =
  /^\/apis\/(decisions|console)\/v1\/(?:(findings|history)\/)?namespaces\/([^/]+)\/(horizontalpodautoscalers|workloadautoscalers)\/([^/]+)(\/record)?$/;

function objectAddress(path: string): {
  readonly kind: "decisions" | "record" | "findings" | "history";
  readonly object: ObjectKey;
} {
  const [, group, part, namespace = "", resource, name = "", record] = objectPattern.exec(path) ?? [];
  if (group === undefined || (group === "console") !== (part !== undefined)) throw notFound(path);
  if (part !== undefined && record !== undefined) throw notFound(path);
  const object = {
    resource: resource as ObjectKey["resource"],
    namespace: nameOf(namespace, path),
    name: nameOf(name, path),
  };
  const own = record === undefined ? "decisions" : "record";
  return { kind: part === "findings" || part === "history" ? part : own, object };
}

/** Names of Kubernetes have nothing in them that means something in a path. */
function nameOf(segment: string, path: string): string {
  let name: string;
  try {
    name = decodeURIComponent(segment);
  } catch {
    throw notFound(path);
  }
  if (!/^[a-zA-Z0-9](?:[-a-zA-Z0-9._:]{0,252})$/.test(name)) throw notFound(path);
  return name;
}

function readQuery(search: string): Query {
  const query: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(search)) {
    if (Object.hasOwn(query, name))
      throw new RequestError(400, "BadRequest", `the parameter ${name} is there twice`);
    query[name] = value;
  }
  const { namespace } = query;
  if (namespace !== undefined && !/^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/.test(namespace))
    throw new RequestError(400, "BadRequest", "the parameter namespace is not the name of one");
  return query;
}

function chosen(query: Query, names: readonly string[]): Query {
  return Object.fromEntries(Object.entries(query).filter(([name]) => names.includes(name)));
}

function notFound(path: string): RequestError {
  return new RequestError(404, "NotFound", `there is nothing at ${path.slice(0, 300)}`);
}
