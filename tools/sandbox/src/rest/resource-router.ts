// Routes a request for a resource to its handler.
import type { ResourceRequest } from "../auth/request-info.ts";
import { serviceAccountUser, type TokenIssuer } from "../auth/token-issuer.ts";
import { badRequest, methodNotAllowed, type StatusError } from "../errors/status-error.ts";
import { numberAt, recordAt } from "../storage/json-value.ts";
import { timestamp } from "../storage/object-store.ts";
import type { StoredObject } from "../storage/stored-object.ts";
import {
  type ApiContext,
  type ApiRequest,
  type ApiResponse,
  type ObjectResponse,
  objectResponse,
  type TextResponse,
} from "./api-context.ts";
import { deleteCollection, deleteObject } from "./delete-handlers.ts";
import { currentObject, getObject, listObjects, type Target } from "./read-handlers.ts";
import { decodeObject } from "./request-body.ts";
import { createReview, reviewDefinitions } from "./reviews.ts";
import { getScale, patchScale, updateScale } from "./scale-handlers.ts";
import { watchObjects } from "./watch-handler.ts";
import { createObject, patchObject, updateObject } from "./write-handlers.ts";

export interface RouterInput {
  readonly context: ApiContext;
  readonly tokens: TokenIssuer;
  readonly request: ApiRequest;
}

export const pageNotFound: TextResponse = {
  type: "text",
  code: 404,
  contentType: "text/plain; charset=utf-8",
  text: "404 page not found\n",
};

/** Carries out a request for a resource of this server's own storage. */
export function routeResource(info: ResourceRequest, input: RouterInput): ApiResponse {
  const { context, request, tokens } = input;
  const review = reviewDefinitions.find(
    (one) => one.group === info.group && one.version === info.version && one.resource === info.resource,
  );
  if (review !== undefined) {
    if (request.method !== "POST") throw methodNotAllowed();
    return createReview(review, request, { context, tokens, user: request.user });
  }
  const definition = context.registry.find(info.group, info.version, info.resource);
  if (definition === undefined) return pageNotFound;
  const target: Target = { definition, namespace: definition.namespaced ? info.namespace : undefined };
  if (info.name === undefined) return routeCollection(info, target, input);
  if (info.subresource === undefined) return routeObject(info.name, target, { ...input, info });
  return routeSubresource(info.name, target, { ...input, info });
}

function routeCollection(
  info: ResourceRequest,
  target: Target,
  { context, request }: RouterInput,
): ApiResponse {
  switch (info.verb) {
    case "list":
      return listObjects(context, target, request);
    case "watch":
      return watchObjects(context, target, request);
    case "create":
      return createObject(context, target, request);
    case "deletecollection":
      return deleteCollection(context, target, request);
    default:
      throw methodNotAllowed();
  }
}

function routeObject(
  name: string,
  target: Target,
  options: RouterInput & { info: ResourceRequest },
): ApiResponse {
  const { context, request } = options;
  switch (options.info.verb) {
    case "get":
      return getObject(context, target, { name, request });
    case "watch":
      return watchObjects(context, target, request, name);
    case "update":
      return updateObject(context, target, { name, part: "main", request });
    case "patch":
      return patchObject(context, target, { name, part: "main", request });
    case "delete":
      return deleteObject(context, target, { name, request });
    default:
      throw methodNotAllowed();
  }
}

function routeSubresource(
  name: string,
  target: Target,
  options: RouterInput & { info: ResourceRequest },
): ApiResponse {
  const { context, request, info, tokens } = options;
  const { definition } = target;
  switch (info.subresource) {
    case "status":
      return definition.hasStatus ? routeStatus(name, target, options) : pageNotFound;
    case "scale":
      return definition.scale === undefined ? pageNotFound : routeScale(name, target, options);
    case "log":
      if (definition.storage !== "pods") return pageNotFound;
      currentObject(context, target, name);
      throw noLogs(name);
    case "token":
      if (definition.storage !== "serviceaccounts") return pageNotFound;
      if (info.verb !== "create") throw methodNotAllowed();
      return issueToken(request, { context, tokens, account: currentObject(context, target, name) });
    case undefined:
    default:
      return pageNotFound;
  }
}

function routeStatus(
  name: string,
  target: Target,
  { context, request, info }: RouterInput & { info: ResourceRequest },
): ApiResponse {
  if (info.verb === "get") return getObject(context, target, { name, request });
  if (info.verb === "update") return updateObject(context, target, { name, part: "status", request });
  if (info.verb === "patch") return patchObject(context, target, { name, part: "status", request });
  throw methodNotAllowed();
}

function routeScale(
  name: string,
  target: Target,
  { context, request, info }: RouterInput & { info: ResourceRequest },
): ApiResponse {
  if (info.verb === "get") return getScale(context, target, name);
  if (info.verb === "update") return updateScale(context, target, { name, request });
  if (info.verb === "patch") return patchScale(context, target, { name, request });
  throw methodNotAllowed();
}

function noLogs(name: string): StatusError {
  return badRequest(`pod ${JSON.stringify(name)} is simulated: it runs no process, so it has no log`);
}

/** POST …/serviceaccounts/NAME/token, what `kubectl create token` uses. */
function issueToken(
  request: ApiRequest,
  options: { context: ApiContext; tokens: TokenIssuer; account: StoredObject },
): ObjectResponse {
  const body = decodeObject(request.body, request.headers["content-type"]);
  const seconds = numberAt(body, "spec", "expirationSeconds") ?? 3600;
  const expiresAtMs = options.context.clock.nowMs() + seconds * 1000;
  const { name, namespace = "", uid } = options.account.metadata;
  return objectResponse(
    {
      kind: "TokenRequest",
      apiVersion: "authentication.k8s.io/v1",
      metadata: { name, namespace },
      spec: { ...recordAt(body, "spec"), expirationSeconds: seconds },
      status: {
        token: options.tokens.issue(serviceAccountUser(namespace, name, uid), expiresAtMs),
        expirationTimestamp: timestamp(expiresAtMs),
      },
    },
    201,
  );
}
