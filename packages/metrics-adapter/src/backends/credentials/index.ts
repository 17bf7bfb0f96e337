// Credentials of sources that fixed headers cannot hold.
import type { RequestAuthorization, RequestClock } from "@plimsoll/prometheus";
import type { FetchedAuth } from "@plimsoll/rules";
import { fetchAzureToken } from "./providers/azure.ts";
import { fetchGoogleToken } from "./providers/google.ts";
import { fetchOAuth2Token } from "./providers/oauth2.ts";
import { createSigV4Authorization } from "./providers/sigv4.ts";
import { createTokenStore, type Token } from "./token-store.ts";

/** What a credential is made with. */
export interface SourceAuthSeams {
  /** @throws Error when the file cannot be read */
  readonly readText: (file: string) => Promise<string>;
  readonly clock: RequestClock;
}

/**
 * The credential of a source: OAuth 2.0 client credentials, signatures of AWS, tokens of Google Cloud or Azure. Nothing is
 * fetched before the first request; the libraries of clouds are loaded then.
 */
export function createSourceAuthorization(auth: FetchedAuth, seams: SourceAuthSeams): RequestAuthorization {
  const nowMs = (): number => seams.clock.nowMs();
  switch (auth.type) {
    case "sigv4":
      return createSigV4Authorization(auth, seams);
    case "oauth2":
      return bearer(() => fetchOAuth2Token(auth, { readText: seams.readText, nowMs }), seams);
    case "google":
      return bearer(() => fetchGoogleToken(auth), seams);
    case "azure":
      return bearer((signal) => fetchAzureToken(auth, signal), seams);
  }
}

function bearer(
  fetchToken: (signal: AbortSignal) => Promise<Token>,
  { clock }: SourceAuthSeams,
): RequestAuthorization {
  const store = createTokenStore({ fetchToken, clock });
  return {
    headersOf: async () => ({ authorization: `Bearer ${await store.current()}` }),
    refused: ({ authorization = "" }) => store.refused(authorization.replace(/^Bearer /, "")),
  };
}
