// Tokens of Google Cloud, by Application Default Credentials.
import type { GoogleAuth as GoogleConfig } from "@plimsoll/rules";
import { loadLibrary } from "../library.ts";
import type { Token } from "../token-store.ts";

/** Of one request for a token: without it a connection would wait for ever. */
const timeoutMs = 10_000;

/** Each token is of a client of its own: one keeps its token, also where a server refuses that. */
export async function fetchGoogleToken({ credentialsFile, scope }: GoogleConfig): Promise<Token> {
  const { GoogleAuth, gcpMetadata } = await loadLibrary(
    "google-auth-library",
    "google",
    () => import("google-auth-library"),
  );
  // It would remember for ever that there was no metadata server: that of a node may start after the Pod.
  gcpMetadata.resetIsAvailableCache();
  const auth = new GoogleAuth({
    scopes: [scope],
    clientOptions: { transporterOptions: { timeout: timeoutMs } },
    ...(credentialsFile === undefined ? {} : { keyFile: credentialsFile }),
  });
  const client = await auth.getClient();
  const { token } = await client.getAccessToken();
  const { expiry_date: expiresAtMs } = client.credentials;
  return { value: token ?? "", expiresAtMs: expiresAtMs ?? undefined };
}
