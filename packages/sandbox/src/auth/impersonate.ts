import { forbidden } from "../rest/status-error.ts";
import type { Authorizer } from "./authorize.ts";
import { authenticatedUser, type UserInfo } from "./user.ts";

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** The user of the Impersonate-* headers, if the caller may impersonate that user. */
export function impersonated(user: UserInfo, headers: Headers, authorize: Authorizer): UserInfo {
  const name = [headers["impersonate-user"]].flat()[0];
  if (name === undefined) return user;
  const { allowed } = authorize({
    user,
    verb: "impersonate",
    resource: { group: "", version: "v1", resource: "users", subresource: "", namespace: "", name },
  });
  if (!allowed) {
    const why = `User "${user.username}" cannot impersonate resource "users" in API group "" at the cluster scope`;
    throw forbidden({ group: "", resource: "users" }, name, why);
  }
  const groups = [headers["impersonate-group"] ?? []].flat().flatMap((text) => text.split(", "));
  return authenticatedUser({ username: name, uid: "", groups, extra: {} });
}
