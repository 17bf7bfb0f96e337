// Authentication of bearer tokens by TokenReview, with bounded memory.
import { createHmac, randomBytes } from "node:crypto";
import { type CacheMeter, type Clock, lazily, messageOf, withDeadline } from "@plimsoll/component-base";
import { createDecisionCache } from "./decision-cache.ts";
import type { User } from "./identity.ts";
import type { TokenReview } from "./token-review.ts";

/** The result of authenticating a token. */
export type TokenResult =
  | { readonly type: "user"; readonly user: User }
  /** The server does not accept the token; the reason is in its words. */
  | { readonly type: "rejected"; readonly reason: string }
  /** Too many tokens are under review. */
  | { readonly type: "busy" }
  /** The review failed, or took too long. */
  | { readonly type: "failed"; readonly message: string };

/** How tokens are reviewed, and for how long a review counts. */
export interface TokenOptions {
  readonly review: (token: string, signal: AbortSignal) => Promise<TokenReview>;
  readonly clock: Clock;
  readonly ttlMs: number;
  readonly timeoutMs: number;
  readonly maxEntries: number;
  /** Watches the cache. */
  readonly meter?: CacheMeter | undefined;
  /** Distinct tokens under review at once; junk tokens must not crowd out all others. */
  readonly maxInFlight: number;
}

/** Finds out whose token it is. Never rejects. */
export type TokenAuthenticator = ReturnType<typeof createTokenAuthenticator>;

/** Tokens themselves are not kept, only a keyed digest of them. */
export function createTokenAuthenticator(options: TokenOptions) {
  const { clock, maxEntries, maxInFlight, meter, timeoutMs, ttlMs } = options;
  const secret = lazily(() => randomBytes(32));
  const cache = createDecisionCache<TokenReview>({
    name: "tokens",
    meter,
    nowMs: () => clock.nowMs(),
    maxEntries,
    sizeOf: (review) => (review.authenticated ? 2 * JSON.stringify(review.user).length : 0),
    ttlMs: () => ttlMs,
  });
  return {
    async authenticate(token: string): Promise<TokenResult> {
      const key = createHmac("sha256", secret()).update(token).digest("base64");
      if (cache.peek(key) === undefined && cache.inFlight >= maxInFlight) return { type: "busy" };
      try {
        const review = await cache.get(key, () =>
          withDeadline(clock, timeoutMs, (signal) => options.review(token, signal)),
        );
        return review.authenticated
          ? { type: "user", user: review.user }
          : { type: "rejected", reason: review.reason };
      } catch (error) {
        return { type: "failed", message: messageOf(error) };
      }
    },
  };
}

/** The token of `Authorization: Bearer …`, or undefined. */
export function bearerToken(authorization: string | undefined): string | undefined {
  const match = /^bearer +(\S+) *$/i.exec(authorization ?? "");
  return match?.[1];
}
