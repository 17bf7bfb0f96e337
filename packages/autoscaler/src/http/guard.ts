import type { IncomingMessage } from "node:http";
import type { Clock, KubeClient } from "@plimsoll/kube";
import {
  accessReviewer,
  bearerToken,
  createAuthorizer,
  createTokenAuthenticator,
  subjectOf,
  tokenReviewer,
  type User,
  withAuthenticatedGroup,
} from "@plimsoll/kube/serving";
import type { Logger } from "../log.ts";
import type { Need } from "./need.ts";
import type { Failure } from "./status.ts";

/** Whether the caller may have what they ask for: one verdict for each need. Undefined is yes. */
export interface Guard {
  check(request: IncomingMessage, needs: readonly Need[]): Promise<readonly (Failure | undefined)[]>;
}

/** For a listener that nobody else can reach. */
export const openGuard: Guard = { check: (_, needs) => Promise.resolve(needs.map(() => undefined)) };

/** For a listener that says nothing about objects. */
export function closedGuard(message: string): Guard {
  const failure: Failure = { code: 403, reason: "Forbidden", message };
  return { check: (_, needs) => Promise.resolve(needs.map(() => failure)) };
}

/** As the kube-apiserver and the components that delegate to it remember such answers. */
const ttlMs = 10_000;
const reviewTimeoutMs = 10_000;
const maxEntries = 1024;
const maxInFlight = 64;

/** Asks the API server who calls, and what they may do; whatever it cannot answer is not allowed. */
export function createGuard(o: {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
}): Guard {
  const { client, clock, log } = o;
  const bounds = { clock, timeoutMs: reviewTimeoutMs, maxEntries };
  const tokens = createTokenAuthenticator({ ...bounds, review: tokenReviewer(client), ttlMs, maxInFlight });
  const authorizer = createAuthorizer<Need>({
    ...bounds,
    review: accessReviewer(client),
    question: (user, need) => ({ ...subjectOf(user), ...need }),
    keyOf: (need) => JSON.stringify(need),
    allowedTtlMs: ttlMs,
    deniedTtlMs: ttlMs,
  });
  return { check };

  async function check(request: IncomingMessage, needs: readonly Need[]): ReturnType<Guard["check"]> {
    const caller = await identify(request);
    if ("failure" in caller) return needs.map(() => caller.failure);
    return Promise.all(needs.map((need) => judge(caller.user, need)));
  }

  async function identify(
    request: IncomingMessage,
  ): Promise<{ readonly user: User } | { readonly failure: Failure }> {
    const token = bearerToken(request.headers.authorization);
    if (token === undefined) return { failure: unauthorized("a bearer token is needed") };
    const verdict = await tokens.authenticate(token);
    switch (verdict.type) {
      case "user":
        return { user: withAuthenticatedGroup(verdict.user) };
      case "busy":
        return { failure: { code: 429, reason: "TooManyRequests", message: "too many tokens under review" } };
      case "rejected":
        return { failure: unauthorized("the token is not valid") };
      case "failed":
        log.warn({ error: verdict.message }, "a token could not be reviewed");
        return { failure: unauthorized("the token could not be reviewed; see the log") };
    }
  }

  async function judge(user: User, need: Need): Promise<Failure | undefined> {
    const verdict = await authorizer.authorize(user, need);
    switch (verdict.type) {
      case "allowed":
        return undefined;
      case "denied":
        return { code: 403, reason: "Forbidden", message: forbidden(user, need) };
      case "unknown":
        log.warn({ error: verdict.message }, "access could not be reviewed");
        return {
          code: 500,
          reason: "InternalError",
          message: "access could not be reviewed, so nothing is allowed; see the log",
        };
    }
  }
}

function unauthorized(message: string): Failure {
  return { code: 401, reason: "Unauthorized", message };
}

/** @upstream staging/src/k8s.io/apiserver/pkg/endpoints/handlers/responsewriters/errors.go#forbiddenMessage */
function forbidden(user: User, need: Need): string {
  const who = `User ${JSON.stringify(user.name)} cannot`;
  if ("nonResourceAttributes" in need) {
    const { verb, path } = need.nonResourceAttributes;
    return `${who} ${verb} path ${JSON.stringify(path)}`;
  }
  const { verb, resource, group, namespace } = need.resourceAttributes;
  const where =
    namespace === undefined ? "at the cluster scope" : `in the namespace ${JSON.stringify(namespace)}`;
  return `${who} ${verb} resource ${JSON.stringify(resource)} in API group ${JSON.stringify(group ?? "")} ${where}`;
}
