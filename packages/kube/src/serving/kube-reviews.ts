import { type AccessSpec, reviewAccess } from "../access-review.ts";
import type { KubeClient } from "../client.ts";
import { reviewToken } from "../token-review.ts";
import type { AccessAnswer } from "./authorizer.ts";
import type { User } from "./identity.ts";
import type { TokenReviewer } from "./tokens.ts";

/** TokenReview as the adapter needs it: a user, or nobody. @throws when kube-apiserver cannot tell. */
export function tokenReviewer(client: KubeClient): TokenReviewer {
  return async (token, signal): Promise<User | undefined> => {
    const { authenticated, user, error } = await reviewToken(client, token, signal);
    if (!authenticated && error !== undefined) {
      throw new Error(error);
    }
    return user === undefined
      ? undefined
      : { name: user.username, uid: user.uid, groups: user.groups, extra: user.extra ?? {} };
  };
}

/** SubjectAccessReview. @throws when kube-apiserver cannot tell. */
export function accessReviewer(
  client: KubeClient,
): (question: AccessSpec, signal: AbortSignal) => Promise<AccessAnswer> {
  return async (question, signal) => {
    const { allowed, reason, evaluationError } = await reviewAccess(client, question, signal);
    return { allowed, reason: reason ?? evaluationError ?? "" };
  };
}
