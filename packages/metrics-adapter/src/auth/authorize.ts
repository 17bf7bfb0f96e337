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
  authorize(user: User, info: RequestInfo): Promise<Authorization>;
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

  return {
    authorize: async (user, info) => {
      if (user.groups.includes(superusers)) {
        return { type: "allowed", source: "superuser" };
      }
      const question = accessQuestion(user, info);
      const key = JSON.stringify(question);
      try {
        const answer =
          key.length > maxCachedQuestion
            ? await ask(question)
            : await cache.get(digest(key), () => ask(question));
        return answer.allowed
          ? { type: "allowed", source: "review" }
          : { type: "denied", reason: answer.reason };
      } catch (error) {
        return { type: "unknown", message: error instanceof Error ? error.message : String(error) };
      }
    },
  };
}

function digest(key: string): string {
  return key.length <= 256 ? key : createHash("sha256").update(key).digest("base64");
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
