// The read-only endpoints of the autoscaler.
import { once } from "node:events";
import type { Logger } from "@plimsoll/component-base";
import express, { type Express, type NextFunction, type Request, type Response } from "express";
import type { Registry } from "prom-client";
import type { DecisionLog } from "../decisions/decision-log.ts";
import type { DecisionResource, LoggedDecision } from "../decisions/logged-decision.ts";
import type { ShadowSummary } from "../shadow/agreement.ts";
import { shadowReport } from "../shadow/report.ts";
import type { Guard } from "./guard.ts";
import { type Readiness, readinessLine } from "./readiness.ts";
import { decisionResources, groupOf, type RequiredAccess, toGet, toList, toRead } from "./required-access.ts";
import { type Failure, nothingHere, sendStatus } from "./status.ts";

/** What the endpoints serve. */
export interface Served {
  readonly readiness: () => readonly Readiness[];
  readonly registry: Registry;
  readonly decisions: DecisionLog;
  readonly shadow: () => ShadowSummary;
}

interface Access {
  /** Called for every path that needs authorization. */
  readonly guard: Guard;
  readonly isOpen: (path: string) => boolean;
}

/** The read-only endpoints: health, metrics and the decisions kept. */
export function createRoutes(deps: Served & Access & { readonly log: Logger }): Express {
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.enable("case sensitive routing");
  app.use(onlyGet);
  addHealth(app, deps);
  addDecisions(app, deps);
  addShadow(app, deps);
  app.use((_request, response) => sendStatus(response, nothingHere));
  app.use(failed(deps.log));
  return app;
}

function onlyGet(request: Request, response: Response, next: NextFunction): void {
  response.setHeader("X-Content-Type-Options", "nosniff");
  if (request.method === "GET" || request.method === "HEAD") {
    next();
    return;
  }
  response.setHeader("Allow", "GET, HEAD");
  sendStatus(response, { code: 405, reason: "MethodNotAllowed", message: "only GET is served here" });
}

function addHealth(app: Express, deps: Access & Pick<Served, "readiness" | "registry">): void {
  const { readiness, registry } = deps;
  const guarded = guardedBy(deps, readPath);
  app.get(["/healthz", "/livez"], guarded, (_request, response) => {
    response.type("text/plain").send("ok\n");
  });
  app.get("/readyz", guarded, (_request, response) => {
    const checks = readiness();
    const isReady = checks.every((check) => check.isReady);
    response
      .status(isReady ? 200 : 503)
      .type("text/plain")
      .send(checks.map(readinessLine).join(""));
  });
  app.get("/metrics", guarded, (_request, response, fail) => {
    registry.metrics().then((text) => response.type(registry.contentType).send(text), fail);
  });
}

function addDecisions(app: Express, deps: Access & Pick<Served, "decisions">): void {
  const { decisions } = deps;
  app.get("/apis/decisions/v1", (request, response, fail) => {
    sendAll(request, response, deps).catch(fail);
  });
  app.get(
    "/apis/decisions/v1/namespaces/:namespace/:resource/:name",
    guardedBy(deps, getObject),
    (request, response, fail) => {
      const { namespace = "", name = "", resource = "" } = textParams(request);
      const records = decisions.of(namespace, name, resource as DecisionResource);
      if (records.length > 0) {
        sendItems(response, records).catch(fail);
        return;
      }
      sendStatus(response, {
        code: 404,
        reason: "NotFound",
        message: `no decision yet about ${resource}.${groupOf(resource) ?? ""} "${name}" in namespace "${namespace}"`,
      });
    },
  );
}

/** Of each resource what the caller may list; refused only when that is nothing. */
async function sendAll(
  request: Request,
  response: Response,
  { decisions, guard }: Pick<Access, "guard"> & Pick<Served, "decisions">,
): Promise<void> {
  const failures = await guard.check(request, decisionResources.map(toList));
  const allowed = new Set(decisionResources.filter((_, index) => failures[index] === undefined));
  const [first] = failures;
  if (allowed.size === 0 && first !== undefined) {
    sendStatus(response, first);
    return;
  }
  await sendItems(
    response,
    decisions.latest().filter(({ resource }) => allowed.has(resource)),
  );
}

function addShadow(app: Express, deps: Access & Pick<Served, "shadow">): void {
  const { shadow } = deps;
  const guarded = guardedBy(deps, listHpas);
  app.get("/apis/shadow/v1", guarded, (_request, response) => {
    response.json(shadow());
  });
  app.get("/apis/shadow/v1/report", guarded, (_request, response) => {
    response.type("text/plain").send(shadowReport(shadow()));
  });
}

/** Express knows an error handler by its four parameters. */
function failed(log: Logger) {
  return (error: unknown, request: Request, response: Response, _next: NextFunction): void => {
    const code = clientErrorCode(error);
    if (code === undefined) log.error({ path: request.path, err: error }, "request failed");
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const failure: Failure =
      code === undefined
        ? { code: 500, reason: "InternalError", message: "the request failed; see the log" }
        : { code, reason: "BadRequest", message: "the request could not be read" };
    sendStatus(response, failure);
  };
}

/** Goes on when the caller may; a path that needs nothing nameable is not there. */
function guardedBy({ guard, isOpen }: Access, accessOf: (request: Request) => RequiredAccess | undefined) {
  return (request: Request, response: Response, next: NextFunction): void => {
    const access = accessOf(request);
    if (access === undefined) {
      sendStatus(response, nothingHere);
      return;
    }
    if (isOpen(request.path)) {
      next();
      return;
    }
    const pass = ([failure]: readonly (Failure | undefined)[]): void => {
      if (failure === undefined) next();
      else sendStatus(response, failure);
    };
    guard.check(request, [access]).then(pass).catch(next);
  };
}

function readPath({ path }: Request): RequiredAccess {
  return toRead(path);
}

function listHpas(): RequiredAccess {
  return toList("horizontalpodautoscalers");
}

function getObject(request: Request): RequiredAccess | undefined {
  const { namespace, resource, name } = textParams(request);
  const known = decisionResources.find((one) => one === resource);
  if (known === undefined || namespace === undefined || name === undefined) return undefined;
  return toGet({ resource: known, namespace, name });
}

/** No path here has a wildcard, which alone would give a list. */
function textParams({ params }: Request): Readonly<Record<string, string>> {
  return params as Readonly<Record<string, string>>;
}

/** One item at a time, so that ten thousand traces do not block the event loop. */
async function sendItems(response: Response, items: readonly LoggedDecision[]): Promise<void> {
  response.type("application/json");
  response.write('{"items":[');
  for (const [index, item] of items.entries()) {
    if (!response.write(`${index === 0 ? "" : ","}${JSON.stringify(item)}`)) {
      await Promise.race([once(response, "drain"), once(response, "close")]);
      if (response.destroyed) return;
    }
  }
  response.end("]}\n");
}

/** Set by express on what the client did wrong, for example a path that cannot be decoded. */
function clientErrorCode(error: unknown): number | undefined {
  const status = (error as { readonly status?: unknown } | undefined)?.status;
  return typeof status === "number" && status >= 400 && status < 500 ? status : undefined;
}
