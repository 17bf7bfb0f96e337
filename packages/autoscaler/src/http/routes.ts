import { once } from "node:events";
import express, { type Express, type NextFunction, type Request, type Response } from "express";
import type { Registry } from "prom-client";
import type { DecisionLog, DecisionRecord, DecisionResource } from "../explain/decision-log.ts";
import type { Logger } from "../log.ts";
import type { ShadowSummary } from "../shadow/agreement.ts";
import { shadowReport } from "../shadow/report.ts";
import type { Guard } from "./guard.ts";
import { decisionResources, groupOf, type Need, toGet, toList, toRead } from "./need.ts";
import { nothingHere, sendStatus } from "./status.ts";

export interface Readiness {
  readonly name: string;
  readonly isReady: boolean;
}

/** What there is to tell. */
export interface Served {
  readonly readiness: () => readonly Readiness[];
  readonly registry: Registry;
  readonly decisions: DecisionLog;
  readonly shadow: () => ShadowSummary;
}

/** The read-only endpoints: health, metrics and the decisions kept. */
export function createRoutes(
  o: Served & {
    /** Asked for every path that is not open. */
    readonly guard: Guard;
    readonly isOpen: (path: string) => boolean;
    readonly log: Logger;
  },
): Express {
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.enable("case sensitive routing");

  app.use((request, response, next) => {
    response.setHeader("X-Content-Type-Options", "nosniff");
    if (request.method === "GET" || request.method === "HEAD") {
      next();
      return;
    }
    response.setHeader("Allow", "GET, HEAD");
    sendStatus(response, { code: 405, reason: "MethodNotAllowed", message: "only GET is served here" });
  });

  app.get(["/healthz", "/livez"], guarded(readPath), (_request, response) => {
    response.type("text/plain").send("ok\n");
  });

  app.get("/readyz", guarded(readPath), (_request, response) => {
    const checks = o.readiness();
    const lines = checks.map(({ name, isReady }) => `${isReady ? "[+]" : "[-]"}${name}\n`).join("");
    response
      .status(checks.every(({ isReady }) => isReady) ? 200 : 503)
      .type("text/plain")
      .send(lines);
  });

  app.get("/metrics", guarded(readPath), (_request, response, fail) => {
    o.registry.metrics().then((text) => response.type(o.registry.contentType).send(text), fail);
  });

  app.get("/apis/decisions/v1", (request, response, fail) => {
    sendAll(request, response).catch(fail);
  });

  app.get(
    "/apis/decisions/v1/namespaces/:namespace/:resource/:name",
    guarded(getObject),
    (request, response, fail) => {
      const { namespace = "", name = "", resource = "" } = textParams(request);
      const records = o.decisions.of(namespace, name, resource as DecisionResource);
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

  app.get("/apis/shadow/v1", guarded(listHpas), (_request, response) => {
    response.json(o.shadow());
  });

  app.get("/apis/shadow/v1/report", guarded(listHpas), (_request, response) => {
    response.type("text/plain").send(shadowReport(o.shadow()));
  });

  app.use((_request, response) => sendStatus(response, nothingHere));

  // Express knows an error handler by its four parameters.
  app.use((error: unknown, request: Request, response: Response, _next: NextFunction) => {
    const code = clientErrorCode(error);
    if (code === undefined) o.log.error({ path: request.path, err: error }, "request failed");
    if (response.headersSent) {
      response.destroy();
      return;
    }
    if (code === undefined) {
      sendStatus(response, {
        code: 500,
        reason: "InternalError",
        message: "the request failed; see the log",
      });
    } else {
      sendStatus(response, { code, reason: "BadRequest", message: "the request could not be read" });
    }
  });
  return app;

  /** Goes on when the caller may; a path that needs nothing nameable is not there. */
  function guarded(needOf: (request: Request) => Need | undefined) {
    return (request: Request, response: Response, next: NextFunction): void => {
      const need = needOf(request);
      if (need === undefined) {
        sendStatus(response, nothingHere);
        return;
      }
      if (o.isOpen(request.path)) {
        next();
        return;
      }
      pass(request, response, need).then((mayPass) => mayPass && next(), next);
    };
  }

  async function pass(request: Request, response: Response, need: Need): Promise<boolean> {
    const [failure] = await o.guard.check(request, [need]);
    if (failure !== undefined) sendStatus(response, failure);
    return failure === undefined;
  }

  /** Of each resource what the caller may list; refused only when that is nothing. */
  async function sendAll(request: Request, response: Response): Promise<void> {
    const verdicts = await o.guard.check(request, decisionResources.map(toList));
    const allowed = new Set(decisionResources.filter((_, index) => verdicts[index] === undefined));
    const [first] = verdicts;
    if (allowed.size === 0 && first !== undefined) {
      sendStatus(response, first);
      return;
    }
    await sendItems(
      response,
      o.decisions.latest().filter(({ resource }) => allowed.has(resource)),
    );
  }
}

function readPath({ path }: Request): Need {
  return toRead(path);
}

function listHpas(): Need {
  return toList("horizontalpodautoscalers");
}

function getObject(request: Request): Need | undefined {
  const { namespace, resource, name } = textParams(request);
  const known = decisionResources.find((one) => one === resource);
  if (known === undefined || namespace === undefined || name === undefined) return undefined;
  return toGet({ resource: known, namespace, name });
}

/** No path here has a wildcard, which alone would give a list. */
function textParams({ params }: Request): Readonly<Record<string, string>> {
  return params as Readonly<Record<string, string>>;
}

/** One item at a time, so that ten thousand traces do not hold the loop up. */
async function sendItems(response: Response, items: readonly DecisionRecord[]): Promise<void> {
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
