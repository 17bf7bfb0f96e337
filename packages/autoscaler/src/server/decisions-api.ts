// The decision API: rows of all objects, decisions and records of one, and the stream of changes.
import { encodeRecord } from "@plimsoll/core";
import type { Express, NextFunction, Request, Response } from "express";
import type { DecisionStore } from "../decisions/decision-log.ts";
import type { DecisionResource, LoggedDecision } from "../decisions/logged-decision.ts";
import { type Asked, type Callers, isAsked, listable } from "./callers.ts";
import { decisionText, textFormats } from "./decision-text.ts";
import { mergedStream } from "./relay/merged-stream.ts";
import { documentOf, type Relay, type Route, unavailable } from "./relay/relay.ts";
import { decisionResources, groupOf, toGet } from "./required-access.ts";
import { sendList } from "./send-json.ts";
import { type Failure, nothingHere, sendStatus } from "./status.ts";
import type { Streams } from "./streams.ts";
import {
  invalid,
  isNamespace,
  mergedPage,
  pageOf,
  readLimit,
  readSummaryQuery,
  rowsOf,
  type SummaryPage,
  type SummaryQuery,
} from "./summary-query.ts";

export interface DecisionsApi {
  readonly decisions: Pick<DecisionStore, "of" | "latest" | "records" | "rows">;
  readonly streams: Streams;
  readonly callers: Callers;
  readonly relay: Relay;
  readonly tagOf: (page: SummaryPage) => string;
  /** Whether inputs are kept, so that there are records. */
  readonly hasInputs: boolean;
}

/** The path of the group under which kube-apiserver may offer the same. */
export const groupBase = "/apis/explain.plimsoll.dev/v1";
export const ownBase = "/apis/decisions/v1";

type Handler = (request: Request, response: Response) => Promise<void>;

export function addDecisions(app: Express, api: DecisionsApi): void {
  const get = (path: string, handler: Handler): void => {
    app.get(path, (request: Request, response: Response, fail: NextFunction) => {
      handler(request, response).catch(fail);
    });
  };
  get(ownBase, (request, response) => sendAll(request, response, api));
  for (const base of [ownBase, groupBase]) {
    for (const path of [base, `${base}/namespaces/:namespace`]) {
      get(`${path}/summary`, (request, response) => sendSummary(request, response, api));
      get(`${path}/stream`, (request, response) => openStream(request, response, api));
    }
    const object = `${base}/namespaces/:namespace/:resource/:name`;
    get(object, (request, response) => sendDecisions(request, response, api));
    get(`${object}/record`, (request, response) => sendRecord(request, response, api));
  }
}

/** The namespace may stand in the path, where RBAC of a group reads it, or in the query. */
function parametersOf(request: Request): URLSearchParams {
  const { originalUrl } = request;
  const mark = originalUrl.indexOf("?");
  const parameters = new URLSearchParams(mark < 0 ? "" : originalUrl.slice(mark + 1));
  const namespace = textParams(request)["namespace"];
  if (namespace !== undefined) parameters.set("namespace", namespace);
  return parameters;
}

async function sendSummary(request: Request, response: Response, api: DecisionsApi): Promise<void> {
  const query = readSummaryQuery(parametersOf(request));
  if ("code" in query) return sendStatus(response, query);
  const asked = await listable(request, api.callers, query.namespace);
  if (!isAsked(asked)) return sendStatus(response, asked);
  const route = api.relay.route(asked.isRelayed);
  if (route.to !== "self") {
    await relayed(route, { request, response, asked }, api, (pages) =>
      mergedPage([localPage(query, asked, api), ...(pages as readonly SummaryPage[])], query),
    );
    return;
  }
  const own = localPage(query, asked, api);
  const tag = api.tagOf(own);
  response.setHeader("ETag", tag);
  if (request.headers["if-none-match"] === tag) {
    response.status(304).end();
    return;
  }
  await sendList(request, response, { ...own, lastEventId: api.streams.lastEventId() });
}

function localPage(query: SummaryQuery, { resources }: Asked, { decisions }: DecisionsApi): SummaryPage {
  return pageOf(rowsOf(decisions.rows.all(), resources), query);
}

/** Of each resource what the caller may list; refused only when that is nothing. */
async function sendAll(request: Request, response: Response, api: DecisionsApi): Promise<void> {
  const asked = await listable(request, api.callers, undefined);
  if (!isAsked(asked)) return sendStatus(response, asked);
  const own = () => api.decisions.latest().filter(({ resource }) => asked.resources.has(resource));
  const route = api.relay.route(asked.isRelayed);
  if (route.to === "self") return sendList(request, response, { items: own() });
  await relayed(route, { request, response, asked }, api, (lists) => ({
    items: [...own(), ...lists.flatMap((list) => (list as { readonly items: readonly unknown[] }).items)],
  }));
}

interface Relayed {
  readonly request: Request;
  readonly response: Response;
  readonly asked: Asked;
}

/** From the holder as it is, or merged from all. */
async function relayed(
  route: Exclude<Route, { to: "self" }>,
  { request, response, asked }: Relayed,
  { relay }: DecisionsApi,
  merge: (documents: readonly unknown[]) => { readonly items: readonly unknown[] },
): Promise<void> {
  if (route.to === "none") return sendStatus(response, route.failure);
  const passed = { request, response, resources: asked.resources };
  if (route.to === "one") return relay.pipe(route.peer, passed);
  const responses = await relay.open(route.peers, passed);
  if ("code" in responses) return sendStatus(response, responses);
  let documents: readonly unknown[];
  try {
    documents = await Promise.all(responses.map(documentOf));
  } catch (error) {
    for (const { message } of responses) message.destroy();
    return sendStatus(response, unavailable(error instanceof Error ? error.message : String(error)));
  }
  await sendList(request, response, merge(documents));
}

async function openStream(request: Request, response: Response, api: DecisionsApi): Promise<void> {
  const { callers, relay, streams } = api;
  const namespace = parametersOf(request).get("namespace") ?? undefined;
  if (namespace !== undefined && !isNamespace(namespace))
    return sendStatus(response, invalid("namespace", "is not the name of one"));
  const asked = await listable(request, callers, namespace);
  if (!isAsked(asked)) return sendStatus(response, asked);
  const route = relay.route(asked.isRelayed);
  if (route.to === "none") return sendStatus(response, route.failure);
  const passed = { request, response, resources: asked.resources };
  if (request.method === "HEAD") {
    response.type("text/event-stream").end();
    return;
  }
  const others = route.to === "all" ? await relay.open(route.peers, passed) : [];
  if ("code" in others) return sendStatus(response, others);
  const header = request.headers["last-event-id"];
  const refused = streams.open({
    response,
    scope: route.to === "one" ? undefined : { namespace, resources: asked.resources },
    caller: asked.name,
    // Each process counts for itself: what was merged cannot be resumed.
    lastEventId: route.to === "self" && typeof header === "string" ? header : undefined,
    async isAllowed() {
      const now = await listable(request, callers, namespace);
      return isAsked(now) && [...asked.resources].every((resource) => now.resources.has(resource));
    },
  });
  if (refused !== undefined) return sendStatus(response, refused);
  if (route.to === "one") return relay.pipe(route.peer, passed);
  mergedStream(others, response);
}

/** One object, whose path names what is needed to read it. */
interface NamedObject {
  readonly resource: DecisionResource;
  readonly namespace: string;
  readonly name: string;
}

function objectOf(request: Request): NamedObject | undefined {
  const { namespace, resource, name } = textParams(request);
  const known = decisionResources.find((one) => one === resource);
  if (known === undefined || namespace === undefined || name === undefined) return undefined;
  return { resource: known, namespace, name };
}

/** Sends what `own` makes of the decisions of this process, or what another process has. */
async function sendOfObject(
  request: Request,
  response: Response,
  api: DecisionsApi,
  own: (object: NamedObject) => Failure | undefined,
): Promise<void> {
  const object = objectOf(request);
  if (object === undefined) return sendStatus(response, nothingHere);
  const caller = await api.callers.of(request);
  const [failure] = await caller.check([toGet(object)]);
  if (failure !== undefined) return sendStatus(response, failure);
  const route = api.relay.route(caller.isRelayed);
  if (route.to === "none") return sendStatus(response, route.failure);
  const passed = { request, response, resources: undefined };
  if (route.to === "one") return api.relay.pipe(route.peer, passed);
  const missing = own(object);
  if (missing === undefined) return;
  if (route.to === "self" || missing.code !== 404) return sendStatus(response, missing);
  const responses = await api.relay.open(route.peers, passed);
  if ("code" in responses) return sendStatus(response, responses);
  const found = responses.find(({ message }) => message.statusCode !== 404);
  for (const { message } of responses) message.destroy();
  if (found === undefined) return sendStatus(response, missing);
  // Its owner; the others only said that they have nothing.
  await api.relay.pipe(found.peer, passed);
}

async function sendDecisions(request: Request, response: Response, api: DecisionsApi): Promise<void> {
  await sendOfObject(request, response, api, ({ namespace, name, resource }) => {
    const parameters = parametersOf(request);
    const format = parameters.get("format") ?? "json";
    const textFormat = textFormats.find((one) => one === format);
    if (textFormat === undefined && format !== "json")
      return invalid("format", "must be json, text or markdown");
    const otherwise = textFormat === undefined ? 10_000 : 1;
    const limit = readLimit(parameters.get("limit"), { least: 1, most: 10_000, otherwise });
    if (typeof limit !== "number") return limit;
    const beforeMs = readBefore(parameters);
    if (typeof beforeMs !== "number") return beforeMs;
    const all = api.decisions.of(namespace, name, resource);
    if (all.length === 0) return noDecision({ namespace, name, resource });
    const items = all.filter(({ at }) => Date.parse(at) < beforeMs).slice(-limit);
    if (items.length === 0) return tooOld(all);
    if (textFormat === undefined) void sendList(request, response, { items }).catch(() => response.destroy());
    else
      response
        .type(`text/${textFormat === "text" ? "plain" : "markdown"}`)
        .send(decisionText(items, textFormat));
    return undefined;
  });
}

async function sendRecord(request: Request, response: Response, api: DecisionsApi): Promise<void> {
  await sendOfObject(request, response, api, ({ namespace, name, resource }) => {
    const beforeMs = readBefore(parametersOf(request));
    if (typeof beforeMs !== "number") return beforeMs;
    const all = api.decisions.of(namespace, name, resource);
    if (all.length === 0) return noDecision({ namespace, name, resource });
    const records = api.decisions.records(namespace, name, resource);
    const record = records.findLast(({ input }) => input.nowMs < beforeMs);
    if (record !== undefined) {
      response.type("application/json").send(`${encodeRecord(record)}\n`);
      return undefined;
    }
    if (records.length > 0) return tooOld(all);
    const message = api.hasInputs
      ? "the inputs of this decision are too large to be kept"
      : "no inputs are kept: --decision-inputs is none";
    return { code: 404, reason: "NotFound", message };
  });
}

/** RFC 3339; absent is after everything. */
function readBefore(parameters: URLSearchParams): number | Failure {
  const text = parameters.get("before");
  if (text === null) return Number.POSITIVE_INFINITY;
  const beforeMs = /^\d{4}-\d{2}-\d{2}T/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(beforeMs) ? invalid("before", "must be a time such as 2026-11-22T10:00:00Z") : beforeMs;
}

function noDecision({ namespace, name, resource }: NamedObject): Failure {
  const message = `no decision yet about ${resource}.${groupOf(resource) ?? ""} "${name}" in namespace "${namespace}"`;
  return { code: 404, reason: "NotFound", message };
}

function tooOld(all: readonly LoggedDecision[]): Failure {
  const message = `${all.length} decisions are kept (--decision-history), the oldest of ${all[0]?.at ?? ""}`;
  return { code: 410, reason: "Expired", message };
}

/** No path here has a wildcard, which alone would give a list. */
function textParams({ params }: Request): Readonly<Record<string, string>> {
  return params as Readonly<Record<string, string>>;
}
