import type { KubeClient } from "./client.ts";

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

export interface AccessReviewResult {
  readonly allowed: boolean;
  /** An authorizer said no, as opposed to none having said yes. */
  readonly denied?: boolean;
  readonly reason?: string;
  readonly evaluationError?: string;
}

/** Asks the API server's authorizers. Throws ApiError or ConnectionError. */
export async function reviewAccess(
  client: KubeClient,
  spec: AccessSpec,
  signal?: AbortSignal,
): Promise<AccessReviewResult> {
  const review = await client.request<{ readonly status?: Partial<AccessReviewResult> }>({
    method: "POST",
    path: "/apis/authorization.k8s.io/v1/subjectaccessreviews",
    body: { apiVersion: "authorization.k8s.io/v1", kind: "SubjectAccessReview", spec },
    ...(signal === undefined ? {} : { signal }),
  });
  const { status } = review;
  // Both at once would be a contradiction: then it is no.
  return { ...status, allowed: status?.allowed === true && status.denied !== true };
}
