// Authorization of requests by SubjectAccessReview, with bounded memory.
import { createHash } from "node:crypto";
import { type Clock, messageOf, withDeadline } from "@plimsoll/component-base";
import type { AccessDecision, AccessSpec } from "./access-review.ts";
import { createDecisionCache, type DecisionCacheOptions } from "./decision-cache.ts";
import type { User } from "./identity.ts";

/** The result of authorizing a request; "unknown" when there is no decision, and must not be served. */
export type Authorization =
  | { readonly type: "allowed"; readonly source: "superuser" | "review" }
  | { readonly type: "denied"; readonly reason: string }
  | { readonly type: "unknown"; readonly message: string };

/** How requests of the type R are reviewed. */
export interface AuthorizerOptions<R>
  extends Pick<DecisionCacheOptions<AccessDecision>, "meter" | "maxBytes" | "after"> {
  /** What is reviewed about the user and the request. */
  readonly specOf: (user: User, request: R) => AccessSpec;
  /** Contains all on which the decision about a request depends, but for the user. */
  readonly keyOf: (request: R) => string;
  /**
   * What a wildcard review of the request covers; undefined where there is none. A user whose permissions name all
   * resources in all namespaces needs one review for each of these keys, instead of one for each request.
   */
  readonly wildcardKeyOf?: (request: R) => string | undefined;
  readonly review: (spec: AccessSpec, signal: AbortSignal) => Promise<AccessDecision>;
  readonly clock: Clock;
  readonly allowedTtlMs: number;
  readonly deniedTtlMs: number;
  readonly timeoutMs: number;
  readonly maxEntries: number;
}

/** Decides whether users may make requests. */
export interface Authorizer<R> {
  /** At once, when the decision is cached. */
  authorize(user: User, request: R): Authorization | Promise<Authorization>;
}

const superusers = "system:masters";
/** A larger spec is reviewed each time; a caller chooses its size. */
const maxCachedSpec = 10_000;

/** Reviews by wildcard first, then the request itself. Whatever cannot be decided is not allowed. */
export function createAuthorizer<R>(options: AuthorizerOptions<R>): Authorizer<R> {
  const { allowedTtlMs, clock, deniedTtlMs, keyOf, specOf, wildcardKeyOf } = options;
  const cache = createDecisionCache<AccessDecision>({
    ...options,
    name: "access_decisions",
    nowMs: () => clock.nowMs(),
    sizeOf: ({ reason }) => 2 * reason.length,
    ttlMs: ({ allowed }) => (allowed ? allowedTtlMs : deniedTtlMs),
  });
  const digestOf = createDigests();

  function decide(key: string, spec: AccessSpec): Promise<AccessDecision> {
    const review = () => withDeadline(clock, options.timeoutMs, (signal) => options.review(spec, signal));
    return JSON.stringify(spec).length > maxCachedSpec ? review() : cache.get(key, review);
  }

  async function review(
    user: User,
    request: R,
    keys: { readonly own: string; readonly wildcard: string | undefined },
  ): Promise<Authorization> {
    const spec = specOf(user, request);
    try {
      const wildcard = keys.wildcard === undefined ? undefined : wildcardOf(spec);
      if (keys.wildcard !== undefined && wildcard !== undefined) {
        const decision = await decide(keys.wildcard, wildcard);
        if (decision.allowed) return allowedByReview;
      }
      return authorizationOf(await decide(keys.own, spec));
    } catch (error) {
      return { type: "unknown", message: messageOf(error) };
    }
  }

  return {
    authorize(user, request) {
      if (user.groups.includes(superusers)) return { type: "allowed", source: "superuser" };
      const digest = digestOf(user);
      const covered = wildcardKeyOf?.(request);
      const wildcard = covered === undefined ? undefined : `${digest}\n*\n${covered}`;
      if (wildcard !== undefined && cache.peek(wildcard)?.allowed === true) return allowedByReview;
      const own = `${digest}\n${keyOf(request)}`;
      const known = cache.peek(own);
      return known === undefined ? review(user, request, { own, wildcard }) : authorizationOf(known);
    },
  };
}

const allowedByReview: Authorization = { type: "allowed", source: "review" };

function authorizationOf(decision: AccessDecision): Authorization {
  return decision.allowed ? allowedByReview : { type: "denied", reason: decision.reason };
}

/**
 * The same verb on all resources of the group in all namespaces: "*" means all of them, as does the absence of a
 * namespace or a name. Only who may do all of that is allowed.
 * @upstream k8s.io/api/authorization/v1 ResourceAttributes
 */
function wildcardOf({ resourceAttributes, ...subject }: AccessSpec): AccessSpec | undefined {
  if (resourceAttributes === undefined) return undefined;
  const { namespace: _, name: __, subresource: ___, ...all } = resourceAttributes;
  return { ...subject, resourceAttributes: { ...all, resource: "*" } };
}

/** A digest of all that says who a user is, computed once for each user object. */
function createDigests(): (user: User) => string {
  const digests = new WeakMap<User, string>();
  return (user) => {
    const known = digests.get(user);
    if (known !== undefined) return known;
    const subject = JSON.stringify([user.name, user.uid ?? null, user.groups, user.extra]);
    const digest = createHash("sha256").update(subject).digest("base64");
    digests.set(user, digest);
    return digest;
  };
}

/** The part of a review that says whose access it is. */
export function subjectOf(user: User): Pick<AccessSpec, "user" | "uid" | "groups" | "extra"> {
  return {
    user: user.name,
    groups: user.groups,
    ...(user.uid === undefined ? {} : { uid: user.uid }),
    ...(Object.keys(user.extra).length === 0 ? {} : { extra: user.extra }),
  };
}
