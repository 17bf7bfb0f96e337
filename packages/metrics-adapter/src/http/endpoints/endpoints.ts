// What is not an API: health, metrics, version, OpenAPI and the index.
import type { IncomingMessage } from "node:http";
import type { Logger } from "@plimsoll/component-base";
import express, { type NextFunction, type Request, type Response } from "express";
import type { Registry } from "prom-client";
import { internalError, methodNotAllowed, routeNotFound } from "../../api/failure.ts";
import type { OpenApi } from "../../api/openapi/documents.ts";
import type { RequestContext } from "../request-context.ts";
import { send, sendFailure, sendObject, sendText } from "../respond.ts";
import { checkResponse, type HealthChecks, type HealthEndpoint, healthResponse } from "./health.ts";
import { type BuildInfo, versionDocument } from "./version.ts";

export interface EndpointsOptions {
  readonly health: HealthChecks;
  readonly registry: Registry;
  readonly build: BuildInfo;
  readonly log: Logger;
  readonly openApi: () => OpenApi;
  readonly groupVersions: () => readonly { readonly group: string; readonly version: string }[];
}

/** Express passes only node's request. */
const contexts = new WeakMap<IncomingMessage, RequestContext>();

function contextOf(request: IncomingMessage): RequestContext {
  const context = contexts.get(request);
  if (context === undefined) throw new Error("the request bypassed the request handler");
  return context;
}

/** All that is not an API, served by express because it is not hot. Never redirects. */
export function createEndpoints(options: EndpointsOptions): (context: RequestContext) => void {
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.enable("case sensitive routing");

  app.use((request, _response, next) => {
    const context = contextOf(request);
    if (request.method === "GET" || request.method === "HEAD") next();
    else sendFailure(context, methodNotAllowed);
  });
  for (const endpoint of ["healthz", "livez", "readyz"] as const) addHealth(app, endpoint, options.health);
  app.get("/version", (request) => {
    sendObject(contextOf(request), versionDocument(options.build), "json");
  });
  app.get("/metrics", async (request) => {
    const { registry } = options;
    const body = await registry.metrics();
    send(contextOf(request), { httpCode: 200, contentType: registry.contentType, body });
  });
  addOpenApi(app, options.openApi);
  app.get("/", (request) => {
    const index = { paths: indexPaths(options.groupVersions()) };
    sendObject(contextOf(request), index, "json");
  });
  app.use((request) => {
    sendFailure(contextOf(request), routeNotFound);
  });
  // With four parameters express takes it for the error handler; its own would show a stack.
  app.use((error: unknown, request: Request, _response: Response, _next: NextFunction) => {
    const context = contextOf(request);
    options.log.error({ err: error, auditId: context.auditId, path: request.path }, "request failed");
    sendFailure(context, internalError("the request failed"));
  });
  return (context) => {
    contexts.set(context.request, context);
    app(context.request, context.response);
  };
}

function addHealth(app: express.Express, endpoint: HealthEndpoint, checks: HealthChecks): void {
  const ofEndpoint = checks[endpoint];
  app.get(`/${endpoint}`, (request) => {
    const context = contextOf(request);
    context.api = "health";
    const health = healthResponse(endpoint, ofEndpoint, context.info.query);
    sendText(context, health.httpCode, health.body);
  });
  app.get(`/${endpoint}/:check`, (request) => {
    const context = contextOf(request);
    context.api = "health";
    const health = checkResponse(ofEndpoint, request.params["check"]);
    if (health === undefined) sendFailure(context, routeNotFound);
    else sendText(context, health.httpCode, health.body);
  });
}

function addOpenApi(app: express.Express, openApi: () => OpenApi): void {
  const serve = (path: string): void => {
    app.get(path, (request) => {
      const context = contextOf(request);
      const document = openApi().find(request.path);
      if (document === undefined) return sendFailure(context, routeNotFound);
      send(context, {
        httpCode: request.headers["if-none-match"] === document.etag ? 304 : 200,
        contentType: "application/json",
        body: document.body,
        headers: { ETag: document.etag },
      });
    });
  };
  serve("/openapi/v2");
  serve("/openapi/v3");
  serve("/openapi/v3/apis/:group/:version");
}

function indexPaths(
  groupVersions: readonly { readonly group: string; readonly version: string }[],
): readonly string[] {
  const apis = groupVersions.flatMap(({ group, version }) => [`/apis/${group}`, `/apis/${group}/${version}`]);
  const others = [
    "/apis",
    "/healthz",
    "/livez",
    "/metrics",
    "/openapi/v2",
    "/openapi/v3",
    "/readyz",
    "/version",
  ];
  return [...new Set([...apis, ...others])].sort();
}
