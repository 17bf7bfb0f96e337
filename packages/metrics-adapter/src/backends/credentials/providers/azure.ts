// Tokens of Azure: of the environment's service principal, of workload identity, or of managed identity.
import type { HttpClient } from "@azure/core-rest-pipeline";
import type * as Identity from "@azure/identity";
import type { AzureAuth } from "@plimsoll/rules";
import { loadLibrary } from "../library.ts";
import type { Token } from "../token-store.ts";

/** Of one request. The library has none of its own, and the signal of the fetch does not reach all of its requests. */
const timeoutMs = 5_000;

/** No credential of a developer's machine is tried: these start other programs. */
export async function fetchAzureToken({ clientId, scope }: AzureAuth, signal: AbortSignal): Promise<Token> {
  const library = await loadLibrary("@azure/identity", "azure", () => import("@azure/identity"));
  const { ChainedTokenCredential, EnvironmentCredential, ManagedIdentityCredential } = library;
  const httpClient = await timelyClient();
  const options = { httpClient, ...(clientId === undefined ? {} : { clientId }) };
  const credential = new ChainedTokenCredential(
    new EnvironmentCredential({ httpClient }),
    ...workloadIdentity(library, options),
    new ManagedIdentityCredential(options),
  );
  const { token, expiresOnTimestamp } = await credential.getToken(scope, { abortSignal: signal });
  return { value: token, expiresAtMs: expiresOnTimestamp };
}

async function timelyClient(): Promise<HttpClient> {
  const { createDefaultHttpClient } = await loadLibrary(
    "@azure/core-rest-pipeline",
    "azure",
    () => import("@azure/core-rest-pipeline"),
  );
  const client = createDefaultHttpClient();
  return {
    sendRequest(request) {
      if (request.timeout === 0) request.timeout = timeoutMs;
      return client.sendRequest(request);
    },
  };
}

/** Cannot be made where its environment is absent. */
function workloadIdentity(
  { CredentialUnavailableError, WorkloadIdentityCredential }: typeof Identity,
  options: Identity.WorkloadIdentityCredentialOptions,
): readonly Identity.WorkloadIdentityCredential[] {
  try {
    return [new WorkloadIdentityCredential(options)];
  } catch (error) {
    if (error instanceof CredentialUnavailableError) return [];
    throw error;
  }
}
