// Authenticates and authorizes callers of the decision API.
import type { IncomingMessage } from "node:http";
import { type Clock, createLogLimiter, type Logger } from "@plimsoll/component-base";
import { type KubeClient, reviewAccess, reviewToken } from "@plimsoll/kube";
import {
  type AuthenticationConfig,
  type AuthenticationResult,
  type Authenticator,
  type Authorizer,
  createAuthenticator,
  createAuthorizer,
  createTokenAuthenticator,
  subjectOf,
  type User,
} from "@plimsoll/kube/serving";
import type { RequiredAccess } from "./required-access.ts";
import type { Failure } from "./status.ts";

/** Who sent a request, and what they may read. */
export interface Caller {
  /** The user's name; empty where callers are not distinguished. */
  readonly name: string;
  /** Whether the caller is allowed each access: one result for each. Undefined means allowed. */
  check(required: readonly RequiredAccess[]): Promise<readonly (Failure | undefined)[]>;
}

export interface Guard {
  identify(request: IncomingMessage): Promise<Caller>;
}

/** Is allowed everything. */
export const trustedCaller: Caller = {
  name: "",
  check: (required) => Promise.resolve(required.map(() => undefined)),
};

/** For a listener that only trusted clients can reach. */
export const openGuard: Guard = { identify: () => Promise.resolve(trustedCaller) };

/** For a listener that says nothing about objects. */
export function closedGuard(message: string): Guard {
  const caller = refusedCaller({ code: 403, reason: "Forbidden", message });
  return { identify: () => Promise.resolve(caller) };
}

function refusedCaller(failure: Failure): Caller {
  return { name: "", check: (required) => Promise.resolve(required.map(() => failure)) };
}

/** As the kube-apiserver and the components that delegate to it cache such results. */
const ttlMs = 10_000;
const reviewTimeoutMs = 10_000;
const maxEntries = 1024;
const maxInFlight = 64;
/** Callers choose how often reviews fail, while the API server is away. */
const warningPauseMs = 10_000;

export interface GuardDeps {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  /** Which certificates and headers identify callers, beside tokens. */
  readonly authentication: () => AuthenticationConfig;
}

interface State {
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer<RequiredAccess>;
  readonly log: Logger;
  /** Whether a warning of this kind may be logged now. */
  readonly isDue: (kind: string) => boolean;
}

/** Authenticates and authorizes callers by reviews of the API server; where a review fails, nothing is allowed. */
export function createGuard({ client, clock, log, authentication }: GuardDeps): Guard {
  const bounds = { clock, timeoutMs: reviewTimeoutMs, maxEntries };
  const tokens = createTokenAuthenticator({
    ...bounds,
    review: (token, signal) => reviewToken(client, token, signal),
    ttlMs,
    maxInFlight,
  });
  const state: State = {
    authenticator: createAuthenticator({ config: authentication, tokens, nowMs: () => clock.nowMs() }),
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
    async identify(request) {
      const result = await state.authenticator.authenticate(request);
      if (result.type !== "user") return refusedCaller(failureOf(result, state));
      const { user } = result;
      return {
        name: user.name,
        check: (required) => Promise.all(required.map((access) => authorize(state, user, access))),
      };
    },
  };
}

function failureOf(result: Exclude<AuthenticationResult, { type: "user" }>, { log, isDue }: State): Failure {
  switch (result.type) {
    case "anonymous":
      return unauthorized("a client certificate or a bearer token is needed");
    case "busy":
      return { code: 429, reason: "TooManyRequests", message: "too many tokens under review" };
    case "refused": {
      // What the API server says of a token is not for those who send it.
      const isToken = result.reason.startsWith("the token is not valid");
      return unauthorized(isToken ? "the token is not valid" : result.reason);
    }
    case "unreviewed":
      if (isDue("token")) log.warn({ error: result.reason }, "a token could not be reviewed");
      return unauthorized("the token could not be reviewed; see the log");
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
