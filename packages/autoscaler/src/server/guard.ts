// Authenticates and authorizes callers of the decision API.
import type { IncomingMessage } from "node:http";
import { type Clock, createLogLimiter, type Logger } from "@plimsoll/component-base";
import { type KubeClient, reviewAccess, reviewToken } from "@plimsoll/kube";
import {
  type Authorizer,
  bearerToken,
  createAuthorizer,
  createTokenAuthenticator,
  subjectOf,
  type TokenAuthenticator,
  type User,
  withAuthenticatedGroup,
} from "@plimsoll/kube/serving";
import type { RequiredAccess } from "./required-access.ts";
import type { Failure } from "./status.ts";

/** Whether the caller is allowed each access: one result for each. Undefined means allowed. */
export interface Guard {
  check(
    request: IncomingMessage,
    required: readonly RequiredAccess[],
  ): Promise<readonly (Failure | undefined)[]>;
}

/** For a listener that only trusted clients can reach. */
export const openGuard: Guard = { check: (_, required) => Promise.resolve(required.map(() => undefined)) };

/** For a listener that says nothing about objects. */
export function closedGuard(message: string): Guard {
  const failure: Failure = { code: 403, reason: "Forbidden", message };
  return { check: (_, required) => Promise.resolve(required.map(() => failure)) };
}

/** As the kube-apiserver and the components that delegate to it cache such results. */
const ttlMs = 10_000;
const reviewTimeoutMs = 10_000;
const maxEntries = 1024;
const maxInFlight = 64;
/** Callers choose how often reviews fail, while the API server is away. */
const warningPauseMs = 10_000;

interface State {
  readonly tokens: TokenAuthenticator;
  readonly authorizer: Authorizer<RequiredAccess>;
  readonly log: Logger;
  /** Whether a warning of this kind may be logged now. */
  readonly isDue: (kind: string) => boolean;
}

/** Authenticates and authorizes callers by reviews of the API server; where a review fails, nothing is allowed. */
export function createGuard({
  client,
  clock,
  log,
}: {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
}): Guard {
  const bounds = { clock, timeoutMs: reviewTimeoutMs, maxEntries };
  const state: State = {
    tokens: createTokenAuthenticator({
      ...bounds,
      review: (token, signal) => reviewToken(client, token, signal),
      ttlMs,
      maxInFlight,
    }),
    authorizer: createAuthorizer<RequiredAccess>({
      ...bounds,
      review: (spec, signal) => reviewAccess(client, spec, signal),
      specOf: (user, access) => ({ ...subjectOf(user), ...access }),
      keyOf: (access) => JSON.stringify(access),
      allowedTtlMs: ttlMs,
      deniedTtlMs: ttlMs,
    }),
    log,
    isDue: createLogLimiter(clock, warningPauseMs),
  };
  return {
    async check(request, required) {
      const caller = await identify(state, request);
      if ("failure" in caller) return required.map(() => caller.failure);
      return Promise.all(required.map((access) => authorize(state, caller.user, access)));
    },
  };
}

async function identify(
  { tokens, log, isDue }: State,
  request: IncomingMessage,
): Promise<{ readonly user: User } | { readonly failure: Failure }> {
  const token = bearerToken(request.headers.authorization);
  if (token === undefined) return { failure: unauthorized("a bearer token is needed") };
  const result = await tokens.authenticate(token);
  switch (result.type) {
    case "user":
      return { user: withAuthenticatedGroup(result.user) };
    case "busy":
      return { failure: { code: 429, reason: "TooManyRequests", message: "too many tokens under review" } };
    case "rejected":
      return { failure: unauthorized("the token is not valid") };
    case "failed":
      if (isDue("token")) log.warn({ error: result.message }, "a token could not be reviewed");
      return { failure: unauthorized("the token could not be reviewed; see the log") };
  }
}

async function authorize(
  { authorizer, log, isDue }: State,
  user: User,
  access: RequiredAccess,
): Promise<Failure | undefined> {
  const decision = await authorizer.authorize(user, access);
  switch (decision.type) {
    case "allowed":
      return undefined;
    case "denied":
      return { code: 403, reason: "Forbidden", message: forbidden(user, access) };
    case "unknown":
      if (isDue("access")) log.warn({ error: decision.message }, "access could not be reviewed");
      return {
        code: 500,
        reason: "InternalError",
        message: "access could not be reviewed, so nothing is allowed; see the log",
      };
  }
}

function unauthorized(message: string): Failure {
  return { code: 401, reason: "Unauthorized", message };
}

/** @upstream staging/src/k8s.io/apiserver/pkg/endpoints/handlers/responsewriters/errors.go#forbiddenMessage */
function forbidden(user: User, access: RequiredAccess): string {
  const who = `User ${JSON.stringify(user.name)} cannot`;
  if ("nonResourceAttributes" in access) {
    const { verb, path } = access.nonResourceAttributes;
    return `${who} ${verb} path ${JSON.stringify(path)}`;
  }
  const { verb, resource, group, namespace } = access.resourceAttributes;
  const where =
    namespace === undefined ? "at the cluster scope" : `in the namespace ${JSON.stringify(namespace)}`;
  return `${who} ${verb} resource ${JSON.stringify(resource)} in API group ${JSON.stringify(group ?? "")} ${where}`;
}
