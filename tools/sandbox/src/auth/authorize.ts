// The authorizer: authenticated users may do everything that a hook does not deny; there is no RBAC.
import type { RequestInfo } from "./request-info.ts";
import type { UserInfo } from "./user.ts";

/** What is to be allowed or not; the shape of SubjectAccessReview's spec. */
export interface AccessAttributes {
  readonly user: UserInfo;
  readonly verb: string;
  readonly resource?: {
    readonly group: string;
    readonly version: string;
    readonly resource: string;
    readonly subresource: string;
    readonly namespace: string;
    readonly name: string;
  };
  /** For requests that are about no resource. */
  readonly path?: string;
}

export interface AccessDecision {
  readonly allowed: boolean;
  readonly reason?: string;
}

/** Undefined leaves the decision to the default. */
export type AuthorizeHook = (attributes: AccessAttributes) => AccessDecision | undefined;

export type Authorizer = (attributes: AccessAttributes) => AccessDecision;

const publicPaths = new Set(["/healthz", "/livez", "/readyz", "/version", "/version/"]);

/** Every authenticated user may do anything that the hook does not deny; the hook is never called for system:masters. */
export function createAuthorizer(hook: AuthorizeHook | undefined): Authorizer {
  return (attributes) => {
    if (attributes.user.groups.includes("system:masters")) return { allowed: true };
    const hooked = hook?.(attributes);
    if (hooked !== undefined) return hooked;
    if (attributes.path !== undefined && publicPaths.has(attributes.path)) return { allowed: true };
    return { allowed: attributes.user.username !== "system:anonymous" };
  };
}

export function attributesOf(user: UserInfo, info: RequestInfo): AccessAttributes {
  if (!info.isResource) return { user, verb: info.verb, path: info.path };
  return {
    user,
    verb: info.verb,
    resource: {
      group: info.group,
      version: info.version,
      resource: info.resource,
      subresource: info.subresource ?? "",
      namespace: info.namespace ?? "",
      name: info.name ?? "",
    },
  };
}
