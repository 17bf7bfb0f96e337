// Signatures of AWS.
import { registerSecret } from "@plimsoll/core/redact";
import type { RequestAuthorization, RequestClock, RequestToAuthorize } from "@plimsoll/prometheus";
import type { SigV4Auth } from "@plimsoll/rules";
import { loadLibrary } from "../library.ts";
import { createTokenStore } from "../token-store.ts";

/** What signs; a session token is of temporary credentials. */
export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
  readonly expiration?: Date | undefined;
}

export interface SigV4Seams {
  readonly clock: RequestClock;
  /** Reads them where they are. Default: the standard chain of the SDK. */
  readonly credentials?: () => Promise<AwsCredentials>;
}

/** Of one request for credentials: without it a connection would wait for ever. */
const requestTimeoutMs = 10_000;

/** Signs each request. A signature is of its time: there is no other one to repeat a refused request with. */
export function createSigV4Authorization(
  auth: SigV4Auth,
  { clock, credentials = () => standardChain(auth) }: SigV4Seams,
): RequestAuthorization {
  const store = createTokenStore({
    fetchToken: async () => {
      const value = await credentials();
      registerSecret(value.secretAccessKey, value.sessionToken ?? "");
      return { value, expiresAtMs: value.expiration?.getTime() };
    },
    clock,
  });
  /** Keys that are derived for a day. */
  const cache = new Map<string, ArrayBuffer>();
  let day = "";
  return {
    async headersOf({ method, url, body }: RequestToAuthorize) {
      const { AwsV4Signer } = await loadLibrary("aws4fetch", "sigv4", () => import("aws4fetch"));
      const { accessKeyId, secretAccessKey, sessionToken } = await store.current();
      const datetime = new Date(clock.nowMs()).toISOString().replace(/[:-]|\.\d{3}/g, "");
      if (day !== datetime.slice(0, 8)) cache.clear();
      day = datetime.slice(0, 8);
      const signer = new AwsV4Signer({
        method,
        url,
        ...(body === undefined ? {} : { body }),
        accessKeyId,
        secretAccessKey,
        ...(sessionToken === undefined ? {} : { sessionToken }),
        service: auth.service,
        region: auth.region,
        datetime,
        cache,
      });
      return Object.fromEntries((await signer.sign()).headers);
    },
    refused: () => false,
  };
}

/** A chain of its own each time: one that is kept waits for a response that never comes, and does not read keys again. */
async function standardChain({ region, profile }: SigV4Auth): Promise<AwsCredentials> {
  const { defaultProvider } = await loadLibrary(
    "@aws-sdk/credential-provider-node",
    "sigv4",
    () => import("@aws-sdk/credential-provider-node"),
  );
  const requestHandler = { requestTimeout: requestTimeoutMs, throwOnRequestTimeout: true };
  const clientConfig = { region, requestHandler };
  return await defaultProvider({ clientConfig, ...(profile === undefined ? {} : { profile }) })();
}
