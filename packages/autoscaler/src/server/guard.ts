// Authenticates and authorizes callers of the decision API.
import type { IncomingMessage } from "node:http";
import type { Failure } from "@plimsoll/decisions/serve";
import {
  type AuthenticationResult,
  forbiddenText,
  type SecureServer,
  type User,
  unreviewedText,
} from "@plimsoll/kube/serving";
import type { RequiredAccess } from "./required-access.ts";

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

type Delegate = Pick<SecureServer<RequiredAccess>, "authenticate" | "authorize" | "keep">;

/** Authenticates and authorizes callers by reviews of the API server; where a review fails, nothing is allowed. */
export function createGuard(server: Delegate): Guard {
  return {
    async identify(request) {
      const result = await server.authenticate(request);
      if (result.type !== "user") return refusedCaller(failureOf(result));
      const { user } = result;
      server.keep(request, user.name);
      return {
        name: user.name,
        check: (required) => Promise.all(required.map((access) => authorize(server, user, access))),
      };
    },
  };
}

function failureOf(result: Exclude<AuthenticationResult, { type: "user" }>): Failure {
  switch (result.type) {
    case "anonymous":
      return unauthorized("a client certificate or a bearer token is required");
    case "busy":
      return {
        code: 429,
        reason: "TooManyRequests",
        message: "too many tokens are being checked; try again",
      };
    case "refused": {
      // What the API server says of a token is not for those who send it.
      const isToken = result.reason.startsWith("the token is invalid");
      return unauthorized(isToken ? "the token is invalid" : result.reason);
    }
    case "unreviewed":
      return unreviewed("the caller's token");
  }
}

async function authorize(server: Delegate, user: User, access: RequiredAccess): Promise<Failure | undefined> {
  const decision = await server.authorize(user, access);
  switch (decision.type) {
    case "allowed":
      return undefined;
    case "denied":
      return { code: 403, reason: "Forbidden", message: forbiddenText(user, access) };
    case "unknown":
      return unreviewed("the caller's access");
  }
}

function unreviewed(what: string): Failure {
  return { code: 503, reason: "ServiceUnavailable", message: unreviewedText(what) };
}

function unauthorized(message: string): Failure {
  return { code: 401, reason: "Unauthorized", message };
}
