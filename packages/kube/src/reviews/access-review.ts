// SubjectAccessReviews.
import type { KubeClient } from "../client/client.ts";

/** May this user do this? One of the two kinds of attributes is given. */
export interface AccessSpec {
  readonly user: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
  readonly resourceAttributes?: {
    readonly namespace?: string;
    readonly verb: string;
    readonly group?: string;
    readonly version?: string;
    readonly resource: string;
    readonly subresource?: string;
    readonly name?: string;
  };
  readonly nonResourceAttributes?: { readonly path: string; readonly verb: string };
}

/** What the API server's authorizers decided. */
export interface AccessDecision {
  readonly allowed: boolean;
  readonly reason: string;
}

interface WireAccessReview {
  readonly status?: {
    readonly allowed?: boolean;
    /** An authorizer refused, as opposed to none having allowed. */
    readonly denied?: boolean;
    readonly reason?: string;
    readonly evaluationError?: string;
  };
}

/** Whether the user may do this. Throws ApiError or ConnectionError. */
export async function reviewAccess(
  client: KubeClient,
  spec: AccessSpec,
  signal?: AbortSignal,
): Promise<AccessDecision> {
  const review = await client.request<WireAccessReview>({
    method: "POST",
    path: "/apis/authorization.k8s.io/v1/subjectaccessreviews",
    body: { apiVersion: "authorization.k8s.io/v1", kind: "SubjectAccessReview", spec },
    ...(signal === undefined ? {} : { signal }),
  });
  const { allowed, denied, reason, evaluationError } = review.status ?? {};
  // Both at once would be a contradiction: then it is no.
  return { allowed: allowed === true && denied !== true, reason: reason ?? evaluationError ?? "" };
}
