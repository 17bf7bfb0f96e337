// The read-only endpoints of the autoscaler.
import type { Clock, Logger } from "@plimsoll/component-base";
import type { PageFiles } from "@plimsoll/component-base/page";
import { type Failure, RequestError } from "@plimsoll/decisions/serve";
import { sendStatus } from "@plimsoll/kube/serving";
import express, { type Express, type NextFunction, type Request, type Response } from "express";
import { type Readiness, readinessLine } from "../informers/readiness.ts";
import type { MetricsPage } from "../telemetry/metrics-page.ts";
import type { Callers } from "./callers.ts";
import { addConsole } from "./console.ts";
import { addDecisions, type DecisionsApi } from "./decisions-api.ts";
import { limitInFlight } from "./in-flight.ts";
import { decisionResources, toRead } from "./required-access.ts";
import { createMetricsHandler } from "./send-metrics.ts";

/** Health and metrics of this process. */
export interface Health {
  readonly readiness: () => readonly Readiness[];
  readonly metrics: MetricsPage;
  readonly clock: Pick<Clock, "nowMs" | "steadyMs">;
}

interface Access {
  /** Called for every path that needs authorization. */
  readonly callers: Callers;
  readonly isOpen: (path: string) => boolean;
}

interface Page {
  /** Undefined: the console is not served. */
  readonly page: PageFiles | undefined;
}

/** The read-only endpoints: health, metrics, the decisions kept, and the page that shows them. */
export function createRoutes(
  given: Health & DecisionsApi & Access & Page & { readonly log: Logger },
): Express {
  const deps = { ...given, callers: limitInFlight(given.callers) };
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.enable("case sensitive routing");
  app.use(onlyGet);
  addHealth(app, deps);
  addDecisions(app, deps);
  addGroup(app);
  if (deps.page !== undefined) addConsole(app, deps.page);
  app.use(({ path }, response) => sendStatus(response, RequestError.nothingAt(path).failure));
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

function addHealth(app: Express, deps: Access & Health): void {
  const { readiness, metrics } = deps;
  const guarded = guardedPath(deps);
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
  const sendMetrics = createMetricsHandler(metrics, deps.clock);
  app.get("/metrics", guarded, (request, response, fail) => {
    sendMetrics(request, response).catch(fail);
  });
}

/** Express knows an error handler by its four parameters. */
function failed(log: Logger) {
  return (error: unknown, request: Request, response: Response, _next: NextFunction): void => {
    if (error instanceof RequestError && !response.headersSent) {
      sendStatus(response, error.failure);
      return;
    }
    const isBad = isBadRequest(error);
    if (!isBad) log.error({ path: request.path, err: error }, "request failed");
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const failure: Failure = isBad
      ? { code: 400, reason: "BadRequest", message: "invalid request" }
      : { code: 500, reason: "InternalError", message: "the request failed; see the log" };
    sendStatus(response, failure);
  };
}

/** Goes on when the caller may read the path. */
function guardedPath({ callers, isOpen }: Access) {
  return (request: Request, _response: Response, next: NextFunction): void => {
    if (isOpen(request.path)) {
      next();
      return;
    }
    const check = async (): Promise<void> => {
      const caller = await callers.of(request);
      // What a process says of itself is not what another may read for its callers.
      if (caller.isRelayed) throw RequestError.nothingAt(request.path);
      const [failure] = await caller.check([toRead(request.path)]);
      if (failure !== undefined) throw new RequestError(failure);
      next();
    };
    check().catch(next);
  };
}

/** So express marks a path that cannot be decoded. */
function isBadRequest(error: unknown): boolean {
  return (error as { readonly status?: unknown } | undefined)?.status === 400;
}

const group = "explain.plimsoll.dev";
const version = { groupVersion: `${group}/v1`, version: "v1" };

const apiGroup = { name: group, versions: [version], preferredVersion: version };

const resource = (name: string, kind: string, verbs: readonly string[]) => ({
  name,
  singularName: "",
  namespaced: true,
  kind,
  verbs,
});

const resourceList = {
  kind: "APIResourceList",
  apiVersion: "v1",
  groupVersion: version.groupVersion,
  resources: [
    resource("summary", "SummaryRowList", ["list"]),
    resource("stream", "SummaryRowList", ["list"]),
    { ...resource("shadow", "ShadowSummary", ["list"]), namespaced: false },
    ...decisionResources.flatMap((name) => [
      resource(name, "LoggedDecisionList", ["get"]),
      resource(`${name}/record`, "DecisionRecord", ["get"]),
    ]),
  ],
};

/** Says nothing about objects, so it needs no identity. */
function addGroup(app: Express): void {
  app.get("/apis", (_request, response) => {
    response.json({ kind: "APIGroupList", apiVersion: "v1", groups: [apiGroup] });
  });
  app.get(`/apis/${group}`, (_request, response) => {
    response.json({ kind: "APIGroup", apiVersion: "v1", ...apiGroup });
  });
  app.get(`/apis/${group}/v1`, (_request, response) => {
    response.json(resourceList);
  });
}
