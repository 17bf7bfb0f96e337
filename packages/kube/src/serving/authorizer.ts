import { createHash } from "node:crypto";
import type { AccessSpec } from "../access-review.ts";
import type { Clock } from "../clock.ts";
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

export interface AuthorizerOptions<R> {
  /** What is asked about the user and the request. */
  readonly question: (user: User, request: R) => AccessSpec;
  /** Says all that a question says of a request. */
  readonly keyOf: (request: R) => string;
  readonly review: (question: AccessSpec, signal: AbortSignal) => Promise<AccessAnswer>;
  readonly clock: Clock;
  readonly allowedTtlMs: number;
  readonly deniedTtlMs: number;
  readonly timeoutMs: number;
  readonly maxEntries: number;
}

export interface Authorizer<R> {
  /** At once, when the answer is still known. */
  authorize(user: User, request: R): Authorization | Promise<Authorization>;
}

const superusers = "system:masters";
/** Questions larger than this are asked each time; a caller chooses their size. */
const maxCachedQuestion = 10_000;

/** SubjectAccessReview with bounded memory. Whatever cannot be answered is not allowed. */
export function createAuthorizer<R>(options: AuthorizerOptions<R>): Authorizer<R> {
  const cache = createDecisionCache<AccessAnswer>({
    nowMs: () => options.clock.nowMs(),
    maxEntries: options.maxEntries,
    ttlMs: (answer) => (answer.allowed ? options.allowedTtlMs : options.deniedTtlMs),
  });
  const ask = (question: AccessSpec): Promise<AccessAnswer> =>
    withDeadline(options.clock, options.timeoutMs, (signal) => options.review(question, signal));

  const subjects = new WeakMap<User, string>();
  const digestOf = (user: User): string => {
    const known = subjects.get(user);
    if (known !== undefined) {
      return known;
    }
    const subject = digest(JSON.stringify([user.name, user.uid ?? null, user.groups, user.extra]));
    subjects.set(user, subject);
    return subject;
  };

  const review = async (user: User, request: R, key: string): Promise<Authorization> => {
    const question = options.question(user, request);
    try {
      const isLarge = JSON.stringify(question).length > maxCachedQuestion;
      return verdict(await (isLarge ? ask(question) : cache.get(key, () => ask(question))));
    } catch (error) {
      return { type: "unknown", message: error instanceof Error ? error.message : String(error) };
    }
  };

  return {
    authorize: (user, request) => {
      if (user.groups.includes(superusers)) {
        return { type: "allowed", source: "superuser" };
      }
      const key = `${digestOf(user)}\n${options.keyOf(request)}`;
      const known = cache.peek(key);
      return known === undefined ? review(user, request, key) : verdict(known);
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

/** The part of a question that says who asks. */
export function subjectOf(user: User): Pick<AccessSpec, "user" | "uid" | "groups" | "extra"> {
  return {
    user: user.name,
    groups: user.groups,
    ...(user.uid === undefined ? {} : { uid: user.uid }),
    ...(Object.keys(user.extra).length === 0 ? {} : { extra: user.extra }),
  };
}
