import type { IncomingMessage } from "node:http";
import express, { type NextFunction, type Request, type Response } from "express";
import type { Registry } from "prom-client";
import type { Logger } from "../logger.ts";
import type { Exchange } from "./exchange.ts";
import { internalError, methodNotAllowed, routeNotFound } from "./failure.ts";
import { answerHealth, answerHealthCheck, type HealthChecks, type HealthEndpoint } from "./health.ts";
import type { OpenApi } from "./openapi/documents.ts";
import { send, sendFailure, sendObject, sendText } from "./respond.ts";
import { type BuildInfo, versionDocument } from "./version.ts";

export interface SmallEndpointsOptions {
  readonly health: HealthChecks;
  readonly registry: Registry;
  readonly build: BuildInfo;
  readonly log: Logger;
  readonly openApi: () => OpenApi;
  readonly groupVersions: () => readonly { readonly group: string; readonly version: string }[];
}

/** Express only hands on node's request. */
const exchanges = new WeakMap<IncomingMessage, Exchange>();

function exchangeOf(request: IncomingMessage): Exchange {
  const exchange = exchanges.get(request);
  if (exchange === undefined) {
    throw new Error("the request did not come through the request handler");
  }
  return exchange;
}

/** Everything that is not an API: its requests are few, so comfort goes before speed. Never redirects. */
export function createSmallEndpoints(options: SmallEndpointsOptions): (exchange: Exchange) => void {
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.enable("case sensitive routing");

  app.use((request, _response, next) => {
    const exchange = exchangeOf(request);
    if (request.method === "GET") {
      next();
    } else {
      sendFailure(exchange, methodNotAllowed);
    }
  });
  for (const endpoint of ["healthz", "livez", "readyz"] as const) {
    addHealth(app, endpoint, options.health);
  }
  app.get("/version", (request) => {
    sendObject(exchangeOf(request), versionDocument(options.build), "json");
  });
  app.get("/metrics", async (request) => {
    const { registry } = options;
    const body = await registry.metrics();
    send(exchangeOf(request), { httpCode: 200, contentType: registry.contentType, body });
  });
  addOpenApi(app, options.openApi);
  app.get("/", (request) => {
    const index = { paths: indexPaths(options.groupVersions()) };
    sendObject(exchangeOf(request), index, "json");
  });
  app.use((request) => {
    sendFailure(exchangeOf(request), routeNotFound);
  });
  // With four parameters express takes it for the error handler; its own would show a stack.
  app.use((error: unknown, request: Request, _response: Response, _next: NextFunction) => {
    const exchange = exchangeOf(request);
    options.log.error({ err: error, auditId: exchange.auditId, path: request.path }, "request failed");
    sendFailure(exchange, internalError("the request could not be completed"));
  });
  return (exchange) => {
    exchanges.set(exchange.request, exchange);
    app(exchange.request, exchange.response);
  };
}

function addHealth(app: express.Express, endpoint: HealthEndpoint, health: HealthChecks): void {
  const checks = health[endpoint];
  app.get(`/${endpoint}`, (request) => {
    const exchange = exchangeOf(request);
    exchange.api = "health";
    const answer = answerHealth(endpoint, checks, exchange.info?.query ?? new URLSearchParams());
    sendText(exchange, answer.httpCode, answer.body);
  });
  app.get(`/${endpoint}/:check`, (request) => {
    const exchange = exchangeOf(request);
    exchange.api = "health";
    const answer = answerHealthCheck(checks, request.params["check"]);
    if (answer === undefined) {
      sendFailure(exchange, routeNotFound);
    } else {
      sendText(exchange, answer.httpCode, answer.body);
    }
  });
}

function addOpenApi(app: express.Express, openApi: () => OpenApi): void {
  const serve = (path: string): void => {
    app.get(path, (request) => {
      const exchange = exchangeOf(request);
      const document = openApi().find(request.path);
      if (document === undefined) {
        sendFailure(exchange, routeNotFound);
        return;
      }
      send(exchange, {
        httpCode: request.headers["if-none-match"] === document.etag ? 304 : 200,
        contentType: "application/json",
        body: document.body,
        headers: { ETag: document.etag, Vary: "Accept" },
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
