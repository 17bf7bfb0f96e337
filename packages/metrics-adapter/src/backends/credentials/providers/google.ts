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
  // On a machine of Google's it asks the metadata server without a timeout; elsewhere it has 3 s.
  gcpMetadata.setGCPResidency(false);
  const auth = new GoogleAuth({
    scopes: [scope],
    clientOptions: { transporterOptions: { timeout: timeoutMs } },
    ...(credentialsFile === undefined ? {} : { keyFile: credentialsFile }),
  });
  if (gcpMetadata.detectGCPResidency()) Object.assign(auth, { checkIsGCE: true });
  const client = await auth.getClient();
  const { token } = await client.getAccessToken();
  const { expiry_date: expiresAtMs } = client.credentials;
  return { value: token ?? "", expiresAtMs: expiresAtMs ?? undefined };
}
