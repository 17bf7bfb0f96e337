// What an API server is made from, with and without HTTP.
import type { Clock } from "@plimsoll/component-base";
import type { AuthorizeHook } from "./auth/access.ts";
import { createAuthorizer } from "./auth/authorize.ts";
import { createRbac } from "./auth/rbac.ts";
import { createResourceRegistry } from "./resources/registry.ts";
import type { ApiContext } from "./rest/api-context.ts";
import { randomSuffix } from "./rest/object-metadata.ts";
import { createObjectStore, type StoreOptions, type VersionedStore } from "./storage/object-store.ts";
import { createWorkloads, type WorkloadOptions, type Workloads } from "./workloads/index.ts";

export interface ApiServerOptions {
  /** Says no to a request, or leaves it to the default, which allows everything to known users. */
  readonly authorize?: AuthorizeHook;
  /** Whether roles and bindings decide what users may do; off by default. */
  readonly rbac?: boolean;
  /** The simulated controllers and kubelets; `false` leaves a bare API server. */
  readonly workloads?: WorkloadOptions | false;
  /** How many changes a watch can resume across. */
  readonly historyLimit?: number;
  readonly bookmarkIntervalMs?: number;
}

/** What a server in the same process can replace. */
export interface ApiServerSeams extends Pick<StoreOptions, "newId" | "onChange"> {
  /** What `generateName` is completed with; random by default. */
  readonly nameSuffix?: (prefix: string) => string;
  /** The store as the simulated controllers write to it. */
  readonly controllerStore?: (store: VersionedStore) => VersionedStore;
}

export interface ApiParts {
  readonly context: ApiContext;
  /** The same, for controllers. */
  readonly controllerContext: ApiContext;
  readonly workloads: Workloads | undefined;
}

export function createApiParts(
  options: ApiServerOptions & ApiServerSeams & { readonly clock: Clock },
): ApiParts {
  const { clock, historyLimit, newId, onChange, nameSuffix = randomSuffix } = options;
  const store = createObjectStore({
    clock,
    ...(historyLimit === undefined ? {} : { historyLimit }),
    ...(newId === undefined ? {} : { newId }),
    ...(onChange === undefined ? {} : { onChange }),
  });
  const controllerStore = options.controllerStore?.(store) ?? store;
  const workloads =
    options.workloads === false
      ? undefined
      : createWorkloads({ store: controllerStore, clock, ...options.workloads });
  const rbac = options.rbac === true ? createRbac(store) : undefined;
  let sequenceNumber = 1;
  const context: ApiContext = {
    store,
    cache: store,
    registry: createResourceRegistry(store),
    clock,
    authorize: createAuthorizer(options.authorize, rbac),
    rbac,
    sequence: () => (sequenceNumber += 1),
    nameSuffix,
    controllersRun: workloads !== undefined,
    bookmarkIntervalMs: options.bookmarkIntervalMs ?? 60_000,
  };
  return { context, controllerContext: { ...context, store: controllerStore }, workloads };
}
