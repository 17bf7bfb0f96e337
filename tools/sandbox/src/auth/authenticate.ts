// Who a request comes from: authentication and impersonation.
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { TLSSocket } from "node:tls";
import { unauthorized } from "../errors/status-error.ts";
import type { AccessAttributes, Authorizer } from "./access.ts";
import { refusal } from "./refusal.ts";
import { serviceAccountUser, type TokenIssuer } from "./token-issuer.ts";
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

/** The user of the Impersonate-* headers. @throws StatusError for what the caller may not impersonate */
export function impersonated(user: UserInfo, headers: IncomingHttpHeaders, authorize: Authorizer): UserInfo {
  const name = [headers["impersonate-user"]].flat()[0];
  if (name === undefined) return user;
  const named = [headers["impersonate-group"] ?? []].flat().flatMap((text) => text.split(", "));
  const uid = [headers["impersonate-uid"]].flat()[0] ?? "";
  const extra = impersonatedExtra(headers);
  const account = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(name);
  const [, namespace = "", accountName = ""] = account ?? [];
  const asked: readonly Asked[] = [
    account === null
      ? { resource: "users", name }
      : { resource: "serviceaccounts", name: accountName, namespace },
    ...named.map((group) => ({ resource: "groups", name: group })),
    ...(uid === "" ? [] : [{ group: authentication, resource: "uids", name: uid }]),
    ...Object.entries(extra).flatMap(([subresource, values]) =>
      values.map((one) => ({ group: authentication, resource: "userextras", subresource, name: one })),
    ),
  ];
  for (const one of asked) requireImpersonation(user, one, authorize);
  const ofAccount = account === null ? [] : serviceAccountUser(namespace, accountName).groups;
  const ofAnonymous = name === anonymousUser.username ? anonymousUser.groups : [];
  const groups = [...(named.length > 0 ? named : ofAccount), ...ofAnonymous];
  return authenticatedUser({ username: name, uid, groups, extra });
}

function impersonatedExtra(headers: IncomingHttpHeaders): Readonly<Record<string, readonly string[]>> {
  const entries = Object.entries(headers).flatMap(([header, value = []]) => {
    const key = /^impersonate-extra-(.+)$/.exec(header)?.[1];
    return key === undefined ? [] : [[decodedKey(key), [value].flat()] as const];
  });
  return Object.fromEntries(entries);
}

/** As it is where it cannot be decoded. */
function decodedKey(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

const authentication = "authentication.k8s.io";

type Asked = Partial<NonNullable<AccessAttributes["resource"]>> & {
  readonly resource: string;
  readonly name: string;
};

function requireImpersonation(user: UserInfo, asked: Asked, authorize: Authorizer): void {
  const resource = { group: "", version: "v1", subresource: "", namespace: "", ...asked };
  const attributes = { user, verb: "impersonate", resource };
  const { allowed, reason } = authorize(attributes);
  if (!allowed) throw refusal(attributes, reason);
}
