// The decision API: what the caller may read, of this process or of those that decide.
import type { SummaryPage } from "@plimsoll/decisions";
import {
  decisionPaths,
  mergedPage,
  RequestError,
  readAddress,
  type ServeDecisions,
  type Streams,
  sendJson,
} from "@plimsoll/decisions/serve";
import type { Express, NextFunction, Request, Response } from "express";
import { mergedSummary } from "../shadow/agreement.ts";
import { shadowReport } from "../shadow/report.ts";
import { type Access, type AskedHere, accessTo, type Callers } from "./callers.ts";
import { createLogReader, type LogReader, type ReadLog } from "./log-reader.ts";
import { mergedStream, type Relay, type Route } from "./relay/relay.ts";

export interface DecisionsApi extends ReadLog {
  readonly streams: Streams;
  readonly serve: ServeDecisions;
  readonly callers: Callers;
  readonly relay: Relay;
}

const shadowPath = "/apis/shadow/v1";

/** A request with what its caller may read. */
interface Served<A extends AskedHere = AskedHere> {
  readonly request: Request;
  readonly response: Response;
  readonly asked: A;
  readonly access: Access;
}

type Send = (reader: LogReader) => Promise<void>;

export function addDecisions(app: Express, api: DecisionsApi): void {
  const get = <A extends AskedHere>(
    path: string | string[],
    read: (url: string) => A,
    send: (reader: LogReader, served: Served<A>) => Promise<void>,
  ): void => {
    const answer = async (request: Request, response: Response): Promise<void> => {
      const asked = read(request.originalUrl);
      const access = await accessTo(asked, request, api.callers);
      const served = { request, response, asked, access };
      await answered(served, api, (reader) => send(reader, served));
    };
    app.get(path, (request: Request, response: Response, fail: NextFunction) => {
      answer(request, response).catch(fail);
    });
  };
  get(
    "/apis/decisions/v1",
    () => ({ part: "all" }) as const,
    async (reader, served) => sendJson(served, await reader.latest()),
  );
  get(
    `${shadowPath}/report`,
    () => ({ part: "shadow" }) as const,
    async (reader, { response }) => {
      response.type("text/plain").send(shadowReport(await reader.shadow()));
    },
  );
  get([...decisionPaths], readAddress, (reader, { asked, ...served }) =>
    api.serve(asked, reader, { ...served, caller: callerOf({ asked, ...served }, api) }),
  );
}

/** By this process, by the one that decides, or by all that do. @throws RequestError */
async function answered(served: Served, api: DecisionsApi, send: Send): Promise<void> {
  const { request, response, asked, access } = served;
  const own = createLogReader(api, access.resources);
  const route = api.relay.route(access.isRelayed);
  if (route.to === "none") throw new RequestError(route.failure);
  if (route.to === "self" || (asked.part === "stream" && request.method === "HEAD")) return send(own);
  const passed = { request, response, resources: access.resources };
  if (route.to === "one") {
    if (asked.part !== "stream") return api.relay.pipe(route.peer, passed);
    api.streams.hold(response, callerOf(served, api));
    return api.relay.pipe(route.peer, passed, api.streams);
  }
  if ("object" in asked) return ofObject(served, { api, own, route, send });
  if (asked.part === "stream") mergedStream(await api.relay.open(route.peers, passed), response, api.streams);
  const path = asked.part === "shadow" ? { path: shadowPath } : {};
  const documents = () => api.relay.documents(route.peers, { ...passed, ...path });
  return send(merged(own, documents));
}

interface OfAll {
  readonly api: DecisionsApi;
  readonly own: LogReader;
  readonly route: Extract<Route, { to: "all" }>;
  readonly send: Send;
}

/** One process has the decisions about an object; the others only say that they have nothing. */
async function ofObject(served: Served, { api: { relay }, own, route, send }: OfAll): Promise<void> {
  const passed = { ...served, resources: undefined };
  try {
    await send(own);
  } catch (error) {
    if (!(error instanceof RequestError) || error.failure.code !== 404) throw error;
    const responses = await relay.open(route.peers, passed);
    const found = responses.find(({ message }) => message.statusCode !== 404);
    for (const { message } of responses) message.destroy();
    if (found === undefined) throw error;
    await relay.pipe(found.peer, passed);
  }
}

/** Of all processes. Each counts its events for itself: what was merged cannot be resumed. */
function merged(own: LogReader, documents: () => Promise<readonly unknown[]>): LogReader {
  const all = async <T>(first: Promise<T>) => [await first, ...((await documents()) as readonly T[])];
  return {
    ...own,
    rows: async (query) => mergedPage(await all<SummaryPage>(own.rows(query)), query),
    latest: async () => ({ items: (await all(own.latest())).flatMap(({ items }) => items) }),
    shadow: async () => mergedSummary(await all(own.shadow())),
    subscribe: (query) => own.subscribe({ ...query, lastEventId: undefined }),
  };
}

function callerOf({ asked, access, request }: Omit<Served, "response">, { callers }: DecisionsApi) {
  return {
    name: access.name,
    async isAllowed() {
      const { resources } = await accessTo(asked, request, callers);
      return [...(access.resources ?? [])].every((resource) => resources?.has(resource) === true);
    },
  };
}
