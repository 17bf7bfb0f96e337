// Routes of paths without a resource.
import { methodNotAllowed } from "../errors/status-error.ts";
import type { ApiRequest, ApiResponse, TextResponse } from "../rest/api-context.ts";
import { objectResponse } from "../rest/api-context.ts";
import { pageNotFound } from "../rest/resource-router.ts";

/** GET documents that are about no resource: health, version, discovery, OpenAPI. */
export interface DocumentRoutes {
  readonly discovery: (path: string, accept: string | undefined) => ApiResponse | undefined;
  readonly openApi: (path: string) => ApiResponse | undefined;
}

const checks = ["ping", "etcd", "informer-sync", "shutdown"];

export function routePath(request: ApiRequest, routes: DocumentRoutes): ApiResponse {
  const path = request.path.replace(/\/+$/, "") || "/";
  if (request.method !== "GET" && request.method !== "HEAD") throw methodNotAllowed();
  const health = /^\/(healthz|livez|readyz)(?:\/([\w-]+))?$/.exec(path);
  if (health !== null) return healthResponse(health[1] ?? "", request);
  if (path === "/version") return objectResponse(versionDocument);
  if (path === "/")
    return objectResponse({ paths: ["/api", "/apis", "/healthz", "/openapi/v3", "/version"] });
  return routes.discovery(path, request.headers["accept"]) ?? routes.openApi(path) ?? pageNotFound;
}

const versionDocument = {
  major: "1",
  minor: "37",
  gitVersion: "v1.37.0-plimsoll.sandbox",
  gitCommit: "",
  gitTreeState: "clean",
  buildDate: "1970-01-01T00:00:00Z",
  goVersion: "",
  compiler: "",
  platform: "",
};

function healthResponse(name: string, request: ApiRequest): TextResponse {
  const lines = checks.map((check) => `[+]${check} ok`).join("\n");
  const text = request.query.has("verbose") ? `${lines}\n${name} check passed\n` : "ok";
  return { type: "text", code: 200, contentType: "text/plain; charset=utf-8", text };
}
