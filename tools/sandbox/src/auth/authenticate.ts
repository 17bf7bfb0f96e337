// Who a request comes from: authentication and impersonation.
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { TLSSocket } from "node:tls";
import { forbidden, unauthorized } from "../errors/status-error.ts";
import type { Authorizer } from "./authorize.ts";
import type { TokenIssuer } from "./token-issuer.ts";
import { anonymousUser, authenticatedUser, type UserInfo } from "./user.ts";

/** Client certificate, then bearer token, then anonymous. A credential that is wrong is 401, never anonymous. */
export function authenticate(request: IncomingMessage, tokens: TokenIssuer, nowMs: number): UserInfo {
  const fromCertificate = certificateUser(request);
  if (fromCertificate !== undefined) return authenticatedUser(fromCertificate);
  const authorization = request.headers.authorization;
  if (authorization === undefined) return anonymousUser;
  const match = /^bearer +(\S+)$/i.exec(authorization.trim());
  const user = match?.[1] === undefined ? undefined : tokens.verify(match[1], nowMs);
  if (user === undefined) throw unauthorized();
  return authenticatedUser(user);
}

// `authorized` is true only for a chain that ends in the cluster CA: the only CA the listener trusts.
function certificateUser(request: IncomingMessage): UserInfo | undefined {
  const { socket } = request;
  if (!(socket instanceof TLSSocket) || !socket.authorized) return undefined;
  const subject = socket.getPeerCertificate()?.subject as unknown as
    | Readonly<Record<string, string | string[] | undefined>>
    | undefined;
  const name = [subject?.["CN"]].flat()[0];
  if (name === undefined) return undefined;
  const groups = [subject?.["O"] ?? []].flat();
  return { username: name, uid: "", groups, extra: {} };
}

/** The user of the Impersonate-* headers, if the caller may impersonate that user. */
export function impersonated(user: UserInfo, headers: IncomingHttpHeaders, authorize: Authorizer): UserInfo {
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
