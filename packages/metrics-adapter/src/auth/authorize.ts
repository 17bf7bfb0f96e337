import { createHash } from "node:crypto";
import type { AccessSpec, Clock } from "@plimsoll/kube";
import type { RequestInfo } from "../server/request-info.ts";
import { createDecisionCache } from "./decision-cache.ts";
import type { User } from "./identity.ts";
import { withDeadline } from "./with-deadline.ts";

export interface AccessAnswer {
  readonly allowed: boolean;
  readonly reason: string;
}

export type Authorization =
  | { readonly type: "allowed"; readonly source: "superuser" | "review" }
  | { readonly type: "denied"; readonly reason: string }
  | { readonly type: "unknown"; readonly message: string };

export interface AuthorizerOptions {
  readonly review: (question: AccessSpec, signal: AbortSignal) => Promise<AccessAnswer>;
  readonly clock: Clock;
  readonly allowedTtlMs: number;
  readonly deniedTtlMs: number;
  readonly timeoutMs: number;
  readonly maxEntries: number;
}

export interface Authorizer {
  /** At once, when the answer is still known. */
  authorize(user: User, info: RequestInfo): Authorization | Promise<Authorization>;
}

const superusers = "system:masters";
/** Questions larger than this are asked each time; a caller chooses their size. */
const maxCachedQuestion = 10_000;

/** SubjectAccessReview with bounded memory. Whatever cannot be answered is not allowed. */
export function createAuthorizer(options: AuthorizerOptions): Authorizer {
  const cache = createDecisionCache<AccessAnswer>({
    nowMs: () => options.clock.nowMs(),
    maxEntries: options.maxEntries,
    ttlMs: (answer) => (answer.allowed ? options.allowedTtlMs : options.deniedTtlMs),
  });
  const ask = (question: AccessSpec): Promise<AccessAnswer> =>
    withDeadline(options.clock, options.timeoutMs, (signal) => options.review(question, signal));

  const subjects = new WeakMap<User, string>();
  const subjectOf = (user: User): string => {
    const known = subjects.get(user);
    if (known !== undefined) {
      return known;
    }
    const subject = digest(JSON.stringify([user.name, user.uid ?? null, user.groups, user.extra]));
    subjects.set(user, subject);
    return subject;
  };

  const review = async (user: User, info: RequestInfo, key: string): Promise<Authorization> => {
    const question = accessQuestion(user, info);
    try {
      const isLarge = JSON.stringify(question).length > maxCachedQuestion;
      return verdict(await (isLarge ? ask(question) : cache.get(key, () => ask(question))));
    } catch (error) {
      return { type: "unknown", message: error instanceof Error ? error.message : String(error) };
    }
  };

  return {
    authorize: (user, info) => {
      if (user.groups.includes(superusers)) {
        return { type: "allowed", source: "superuser" };
      }
      // Verb and path say all that a question says of a request. No path holds a line feed.
      const key = `${subjectOf(user)}\n${info.verb}\n${info.path}`;
      const known = cache.peek(key);
      return known === undefined ? review(user, info, key) : verdict(known);
    },
  };
}

const allowedByReview: Authorization = { type: "allowed", source: "review" };

function verdict(answer: AccessAnswer): Authorization {
  return answer.allowed ? allowedByReview : { type: "denied", reason: answer.reason };
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("base64");
}

export function accessQuestion(user: User, info: RequestInfo): AccessSpec {
  const subject = {
    user: user.name,
    groups: user.groups,
    ...(user.uid === undefined ? {} : { uid: user.uid }),
    ...(Object.keys(user.extra).length === 0 ? {} : { extra: user.extra }),
  };
  const { resource } = info;
  if (resource === undefined) {
    return { ...subject, nonResourceAttributes: { path: info.path, verb: info.verb } };
  }
  return {
    ...subject,
    resourceAttributes: {
      ...(resource.namespace === undefined ? {} : { namespace: resource.namespace }),
      verb: info.verb,
      group: resource.group,
      version: resource.version,
      resource: resource.resource,
      ...(resource.subresource === undefined ? {} : { subresource: resource.subresource }),
      ...(resource.name === undefined ? {} : { name: resource.name }),
    },
  };
}

/** Paths that need no identity: exact, or with everything below when the pattern ends in "/*". */
export function createPathMatcher(patterns: readonly string[]): (path: string) => boolean {
  const exact = new Set(patterns.filter((pattern) => !pattern.endsWith("*")));
  const prefixes = patterns.filter((pattern) => pattern.endsWith("*")).map((pattern) => pattern.slice(0, -1));
  return (path) => exact.has(path) || prefixes.some((prefix) => path.startsWith(prefix));
}
