import type { KubeClient } from "./client.ts";

export interface UserInfo {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export interface TokenReviewResult {
  readonly authenticated: boolean;
  /** Whose token it is; only when it is authenticated. */
  readonly user?: UserInfo;
  /** Why the token could not be checked, in the server's words. */
  readonly error?: string;
}

interface WireTokenReview {
  readonly status?: {
    readonly authenticated?: boolean;
    readonly user?: Partial<UserInfo>;
    readonly error?: string;
  };
}

/** Asks the API server whose token this is. Throws ApiError or ConnectionError. */
export async function reviewToken(
  client: KubeClient,
  token: string,
  signal?: AbortSignal,
): Promise<TokenReviewResult> {
  const review = await client.request<WireTokenReview>({
    method: "POST",
    path: "/apis/authentication.k8s.io/v1/tokenreviews",
    body: { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", spec: { token } },
    ...(signal === undefined ? {} : { signal }),
  });
  const { authenticated, user, error } = review.status ?? {};
  const failure = error === undefined || error === "" ? {} : { error };
  if (authenticated !== true || user?.username === undefined) return { authenticated: false, ...failure };
  return {
    authenticated: true,
    user: { ...user, username: user.username, groups: user.groups ?? [] },
    ...failure,
  };
}
