import { createHmac, randomBytes } from "node:crypto";
import type { Clock } from "../clock.ts";
import { createDecisionCache } from "./decision-cache.ts";
import type { User } from "./identity.ts";
import { withDeadline } from "./with-deadline.ts";

export type TokenVerdict =
  | { readonly type: "user"; readonly user: User }
  | { readonly type: "rejected" }
  /** Nobody could be asked: too many questions are open, or kube-apiserver does not answer. */
  | { readonly type: "busy" }
  | { readonly type: "failed"; readonly message: string };

export interface TokenReviewer {
  (token: string, signal: AbortSignal): Promise<User | undefined>;
}

export interface TokenOptions {
  readonly review: TokenReviewer;
  readonly clock: Clock;
  readonly ttlMs: number;
  readonly timeoutMs: number;
  readonly maxEntries: number;
  /** Distinct tokens under review at once; junk tokens must not crowd out everybody else. */
  readonly maxInFlight: number;
}

export interface TokenAuthenticator {
  authenticate(token: string): Promise<TokenVerdict>;
}

export function createTokenAuthenticator(options: TokenOptions): TokenAuthenticator {
  // Tokens themselves are not kept, only a keyed digest of them.
  const secret = randomBytes(32);
  const cache = createDecisionCache<TokenVerdict>({
    nowMs: () => options.clock.nowMs(),
    maxEntries: options.maxEntries,
    ttlMs: () => options.ttlMs,
  });
  const ask = async (token: string): Promise<TokenVerdict> => {
    const user = await withDeadline(options.clock, options.timeoutMs, (signal) =>
      options.review(token, signal),
    );
    return user === undefined ? { type: "rejected" } : { type: "user", user };
  };
  return {
    authenticate: async (token) => {
      const key = createHmac("sha256", secret).update(token).digest("base64");
      if (cache.peek(key) === undefined && cache.inFlight >= options.maxInFlight) {
        return { type: "busy" };
      }
      try {
        return await cache.get(key, () => ask(token));
      } catch (error) {
        return { type: "failed", message: error instanceof Error ? error.message : String(error) };
      }
    },
  };
}

/** The token of `Authorization: Bearer …`, or undefined. */
export function bearerToken(authorization: string | undefined): string | undefined {
  const match = /^bearer +(\S+) *$/i.exec(authorization ?? "");
  return match?.[1];
}
