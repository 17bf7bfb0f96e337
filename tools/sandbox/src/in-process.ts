// The sandbox without HTTP and TLS: requests are calls, and whoever calls is the user.
import type { Clock } from "@plimsoll/component-base";
import { type ApiServerOptions, type ApiServerSeams, createApiParts } from "./api-parts.ts";
import { parseRequest } from "./auth/request-info.ts";
import { createTokenIssuer } from "./auth/token-issuer.ts";
import { authenticatedUser } from "./auth/user.ts";
import { createBootstrapObjects } from "./controllers/bootstrap-objects.ts";
import { startNamespaceLifecycle } from "./controllers/namespace-lifecycle.ts";
import { discoveryRoutes, type ForeignGroupVersion } from "./discovery/discovery-routes.ts";
import { openApiRoutes } from "./discovery/openapi-routes.ts";
import { StatusError } from "./errors/status-error.ts";
import type { ResourceRegistry } from "./resources/registry.ts";
import type { WatchCache } from "./rest/api-context.ts";
import { apiVersionOf } from "./rest/object-text.ts";
import { authorizeRequest, handleApiRequest } from "./server/api-handler.ts";
import type { DocumentRoutes } from "./server/path-routes.ts";
import { type RenderedResponse, renderError } from "./server/render.ts";
import { type StoreEvent, timestamp, type VersionedStore } from "./storage/object-store.ts";
import type { StoredObject } from "./storage/stored-object.ts";

export interface InProcessOptions
  extends ApiServerOptions,
    Omit<ApiServerSeams, "onChange" | "controllerStore"> {
  readonly clock: Clock;
  /** Called within each change, in their order; `writer` is undefined for the simulated controllers. */
  readonly onChange?: (change: StoreEvent, writer: string | undefined) => void;
  /** Group-versions of other servers, for discovery: their requests do not come here. */
  readonly groupVersions?: () => readonly ForeignGroupVersion[];
  /** Of the tokens that this server issues; random by default. */
  readonly tokenKey?: Buffer;
}

/** One request. */
export interface InProcessRequest {
  readonly method: string;
  /** As it would be sent, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** With names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer | string;
  readonly user: string;
  /** What serves watches and reads that need not be current, as another API server of the cluster has it; the store by default. */
  readonly cache?: WatchCache | undefined;
}

export interface InProcessSandbox {
  readonly store: VersionedStore;
  /** Everything but a stream is done when this returns. Throws what only a bug can be. */
  handle(request: InProcessRequest): RenderedResponse;
  /** Where an object, and those of its kind, are served. Throws for a kind that is not served. */
  pathsOf(object: StoredObject): { readonly collection: string; readonly object: string };
  /** The writer of what changes meanwhile. */
  as<T>(writer: string | undefined, run: () => T): T;
  /** The objects of a new cluster, and the simulated controllers; after stop() they look at everything afresh. */
  start(): void;
  stop(): void;
}

/** An API server and its controllers as function calls. Nothing runs before start(). */
export function createInProcessSandbox(options: InProcessOptions): InProcessSandbox {
  const { onChange, clock } = options;
  let writer: string | undefined;
  const as = <T>(next: string | undefined, run: () => T): T => {
    const before = writer;
    writer = next;
    try {
      return run();
    } finally {
      writer = before;
    }
  };
  const { context, controllerContext, workloads } = createApiParts({
    ...options,
    onChange: (change) => onChange?.(change, writer),
    controllerStore: (store) => writtenBy(store, (run) => as(undefined, run)),
  });
  const { store, registry } = context;
  const handler = {
    context,
    tokens: createTokenIssuer(options.tokenKey),
    routes: routesOf(registry, options),
  };
  let stopNamespaces: (() => void) | undefined;

  const handle = ({ user: username, cache, ...request }: InProcessRequest): RenderedResponse => {
    const user = authenticatedUser({ username, uid: "", groups: [], extra: {} });
    try {
      const info = parseRequest(request.method, request);
      authorizeRequest(context, user, info);
      const at = cache === undefined ? handler : { ...handler, context: { ...context, cache } };
      return as(username, () => handleApiRequest({ ...request, user }, info, at));
    } catch (error) {
      // What is no refusal is a bug, which its caller has to see.
      if (error instanceof StatusError) return renderError(error);
      throw error;
    }
  };

  return {
    store,
    handle,
    pathsOf: (object) => pathsOf(registry, object),
    as,
    start() {
      if (store.get("namespaces", undefined, "default") === undefined)
        createBootstrapObjects(store, { registry, nowText: timestamp(clock.nowMs()) });
      stopNamespaces ??= startNamespaceLifecycle(controllerContext, { caPem: "" });
      workloads?.start();
    },
    stop() {
      workloads?.stop();
      stopNamespaces?.();
      stopNamespaces = undefined;
    },
  };
}

function routesOf(
  registry: ResourceRegistry,
  { groupVersions: foreign = () => [] }: InProcessOptions,
): DocumentRoutes {
  const serverAddress = (): string => "in-process";
  return {
    discovery: discoveryRoutes({ registry, foreign, serverAddress }),
    openApi: openApiRoutes(registry),
  };
}

function pathsOf(registry: ResourceRegistry, { apiVersion = "", kind, metadata }: StoredObject) {
  const definition = registry.all().find((one) => one.kind === kind && apiVersionOf(one) === apiVersion);
  if (definition === undefined) throw new Error(`no kind ${String(kind)} in ${apiVersion}`);
  const root = definition.group === "" ? `/api/${apiVersion}` : `/apis/${apiVersion}`;
  const place = definition.namespaced ? `/namespaces/${metadata.namespace ?? "default"}` : "";
  const collection = `${root}${place}/${definition.resource}`;
  return { collection, object: `${collection}/${metadata.name}` };
}

/** The same store, whose writes run inside `as`. */
function writtenBy(store: VersionedStore, as: <T>(run: () => T) => T): VersionedStore {
  const writes: Partial<VersionedStore> = {
    create: (resource, object) => as(() => store.create(resource, object)),
    update: (resource, object) => as(() => store.update(resource, object)),
    delete: (resource, namespace, name) => as(() => store.delete(resource, namespace, name)),
  };
  return Object.assign(Object.create(store) as VersionedStore, writes);
}
