import { once } from "node:events";
import express, { type Express, type NextFunction, type Request, type Response } from "express";
import type { Registry } from "prom-client";
import type { DecisionLog, DecisionRecord, DecisionResource } from "../explain/decision-log.ts";
import type { Logger } from "../log.ts";
import type { ShadowSummary } from "../shadow/agreement.ts";
import { shadowReport } from "../shadow/report.ts";

export interface Readiness {
  readonly name: string;
  readonly isReady: boolean;
}

const groups: ReadonlyMap<string, string> = new Map<DecisionResource, string>([
  ["horizontalpodautoscalers", "autoscaling"],
  ["workloadautoscalers", "autoscaling.plimsoll.dev"],
]);

/** The read-only endpoints: health, metrics and the decisions kept. */
export function createRoutes(o: {
  readonly readiness: () => readonly Readiness[];
  readonly registry: Registry;
  readonly decisions: DecisionLog;
  readonly shadow: () => ShadowSummary;
  readonly log: Logger;
}): Express {
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

  app.get("/healthz", (_request, response) => {
    response.type("text/plain").send("ok\n");
  });

  app.get("/readyz", (_request, response) => {
    const checks = o.readiness();
    const lines = checks.map(({ name, isReady }) => `${isReady ? "[+]" : "[-]"}${name}\n`).join("");
    response
      .status(checks.every(({ isReady }) => isReady) ? 200 : 503)
      .type("text/plain")
      .send(lines);
  });

  app.get("/metrics", (_request, response, fail) => {
    o.registry.metrics().then((text) => response.type(o.registry.contentType).send(text), fail);
  });

  app.get("/apis/decisions/v1", (_request, response, fail) => {
    sendItems(response, o.decisions.latest()).catch(fail);
  });

  app.get("/apis/decisions/v1/namespaces/:namespace/:resource/:name", (request, response, fail) => {
    const { namespace, name, resource } = request.params;
    const group = groups.get(resource);
    if (group === undefined) {
      sendStatus(response, { code: 404, reason: "NotFound", message: "there is nothing at this path" });
      return;
    }
    const records = o.decisions.of(namespace, name, resource as DecisionResource);
    if (records.length > 0) {
      sendItems(response, records).catch(fail);
      return;
    }
    sendStatus(response, {
      code: 404,
      reason: "NotFound",
      message: `no decision yet about ${resource}.${group} "${name}" in namespace "${namespace}"`,
    });
  });

  app.get("/apis/shadow/v1", (_request, response) => {
    response.json(o.shadow());
  });

  app.get("/apis/shadow/v1/report", (_request, response) => {
    response.type("text/plain").send(shadowReport(o.shadow()));
  });

  app.use((_request, response) => {
    sendStatus(response, { code: 404, reason: "NotFound", message: "there is nothing at this path" });
  });

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

function sendStatus(
  response: Response,
  { code, reason, message }: { readonly code: number; readonly reason: string; readonly message: string },
): void {
  response.status(code).json({ kind: "Status", apiVersion: "v1", status: "Failure", message, reason, code });
}

/** Set by express on what the client did wrong, for example a path that cannot be decoded. */
function clientErrorCode(error: unknown): number | undefined {
  const status = (error as { readonly status?: unknown } | undefined)?.status;
  return typeof status === "number" && status >= 400 && status < 500 ? status : undefined;
}
