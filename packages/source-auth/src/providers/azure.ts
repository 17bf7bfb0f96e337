// Tokens of Azure: of the environment's service principal, of workload identity, or of managed identity.
import type * as Identity from "@azure/identity";
import type { AzureAuth } from "@plimsoll/rules";
import { loadLibrary } from "../library.ts";
import type { Token } from "../token-store.ts";

/** No credential of a developer's machine is tried: these start other programs. */
export async function fetchAzureToken({ clientId, scope }: AzureAuth, signal: AbortSignal): Promise<Token> {
  const library = await loadLibrary("@azure/identity", "azure", () => import("@azure/identity"));
  const { ChainedTokenCredential, EnvironmentCredential, ManagedIdentityCredential } = library;
  const options = clientId === undefined ? {} : { clientId };
  const credential = new ChainedTokenCredential(
    new EnvironmentCredential(),
    ...workloadIdentity(library, options),
    new ManagedIdentityCredential(options),
  );
  const { token, expiresOnTimestamp } = await credential.getToken(scope, { abortSignal: signal });
  return { value: token, expiresAtMs: expiresOnTimestamp };
}

/** Cannot be made where its environment is absent. */
function workloadIdentity(
  { CredentialUnavailableError, WorkloadIdentityCredential }: typeof Identity,
  options: { readonly clientId?: string },
): readonly Identity.WorkloadIdentityCredential[] {
  try {
    return [new WorkloadIdentityCredential(options)];
  } catch (error) {
    if (error instanceof CredentialUnavailableError) return [];
    throw error;
  }
}
