import type { KubeClient } from "../client/client.ts";
import type { User } from "./identity.ts";

/** Whose token it is, or why the API server does not accept it. */
export type TokenReview =
  | { readonly authenticated: true; readonly user: User }
  | { readonly authenticated: false; readonly reason: string };

interface WireTokenReview {
  readonly status?: {
    readonly authenticated?: boolean;
    readonly user?: {
      readonly username?: string;
      readonly uid?: string;
      readonly groups?: readonly string[] | null;
      readonly extra?: Readonly<Record<string, readonly string[]>> | null;
    };
    readonly error?: string;
  };
}

/**
 * Whose token this is. The API server sets an error for each token that it does not accept, so that is a refusal.
 * Throws ApiError or ConnectionError.
 */
export async function reviewToken(
  client: KubeClient,
  token: string,
  signal?: AbortSignal,
): Promise<TokenReview> {
  const review = await client.request<WireTokenReview>({
    method: "POST",
    path: "/apis/authentication.k8s.io/v1/tokenreviews",
    body: { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", spec: { token } },
    ...(signal === undefined ? {} : { signal }),
  });
  const { authenticated, user, error } = review.status ?? {};
  if (authenticated !== true || user?.username === undefined)
    return { authenticated: false, reason: error ?? "" };
  const { username: name, uid, groups, extra } = user;
  return { authenticated: true, user: { name, uid, groups: groups ?? [], extra: extra ?? {} } };
}
