// Tokens of Google Cloud, by Application Default Credentials.
import type { GoogleAuth as GoogleConfig } from "@plimsoll/rules";
import { loadLibrary } from "../library.ts";
import type { Token } from "../token-store.ts";

/** Each token is of a client of its own: one keeps its token, also where a server refuses that. */
export async function fetchGoogleToken({ credentialsFile, scope }: GoogleConfig): Promise<Token> {
  const { GoogleAuth } = await loadLibrary(
    "google-auth-library",
    "google",
    () => import("google-auth-library"),
  );
  const auth = new GoogleAuth({
    scopes: [scope],
    ...(credentialsFile === undefined ? {} : { keyFile: credentialsFile }),
  });
  const client = await auth.getClient();
  const { token } = await client.getAccessToken();
  const { expiry_date: expiresAtMs } = client.credentials;
  return { value: token ?? "", expiresAtMs: expiresAtMs ?? undefined };
}
