// The authorizer: RBAC where it is on; elsewhere authenticated users may do everything that a hook does not deny.
import type { AccessAttributes, AuthorizeHook, Authorizer } from "./access.ts";
import type { Rbac } from "./rbac.ts";
import type { RequestInfo } from "./request-info.ts";
import type { UserInfo } from "./user.ts";

const publicPaths = new Set(["/healthz", "/livez", "/readyz", "/version", "/version/"]);

/** What the hook does not decide is RBAC's; without it, known users may do anything. Neither is asked for system:masters. */
export function createAuthorizer(hook: AuthorizeHook | undefined, rbac: Rbac | undefined): Authorizer {
  return (attributes) => {
    if (attributes.user.groups.includes("system:masters")) return { allowed: true };
    const hooked = hook?.(attributes);
    if (hooked !== undefined) return hooked;
    if (rbac !== undefined) return rbac.authorize(attributes);
    if (attributes.path !== undefined && publicPaths.has(attributes.path)) return { allowed: true };
    return { allowed: attributes.user.username !== "system:anonymous" };
  };
}

export function attributesOf(user: UserInfo, info: RequestInfo): AccessAttributes {
  if (!info.isResource) return { user, verb: info.verb, path: info.path };
  return {
    user,
    // A watch of one object by its path is a get.
    verb: info.verb === "watch" && info.name !== undefined && !info.isWatchPath ? "get" : info.verb,
    resource: {
      group: info.group,
      version: info.version,
      resource: info.resource,
      subresource: info.subresource ?? "",
      namespace: info.namespace ?? "",
      name: info.name ?? info.selectedName ?? "",
    },
  };
}
