import type { KubeClient } from "../client/client.ts";
import type { User } from "./identity.ts";

/** Whose token it is, or why the API server does not accept it. */
export type TokenReview =
  | { readonly authenticated: true; readonly user: User }
  | { readonly authenticated: false; readonly reason: string };

interface WireTokenReview {
  readonly status?: {
    readonly authenticated?: boolean;
    readonly audiences?: readonly string[] | null;
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
  /** What the token must be for; absent: the API server. */
  audiences?: readonly string[],
): Promise<TokenReview> {
  const review = await client.request<WireTokenReview>({
    method: "POST",
    path: "/apis/authentication.k8s.io/v1/tokenreviews",
    body: {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenReview",
      spec: { token, ...(audiences === undefined ? {} : { audiences }) },
    },
    ...(signal === undefined ? {} : { signal }),
  });
  const { authenticated, user, error } = review.status ?? {};
  if (authenticated !== true || user?.username === undefined)
    return { authenticated: false, reason: error ?? "" };
  // An authenticator that knows no audiences returns none: then the token may be for anything.
  const isFor = review.status?.audiences?.some((audience) => audiences?.includes(audience)) ?? false;
  if (audiences !== undefined && !isFor)
    return { authenticated: false, reason: "the token is unknown to be for this server" };
  const { username: name, uid, groups, extra } = user;
  return { authenticated: true, user: { name, uid, groups: groups ?? [], extra: extra ?? {} } };
}
