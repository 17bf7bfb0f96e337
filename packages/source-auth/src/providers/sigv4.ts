// Signatures of AWS.
import type { RequestAuthorization, RequestToAuthorize } from "@plimsoll/prometheus";
import type { SigV4Auth } from "@plimsoll/rules";
import { loadLibrary } from "../library.ts";

/** What signs; a session token is of temporary credentials. */
export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

export interface SigV4Seams {
  readonly nowMs: () => number;
  /** Keeps credentials until they end. Default: the standard chain of the SDK. */
  readonly credentials?: () => Promise<AwsCredentials>;
}

/** Signs each request. A signature is of its time: there is no other one to repeat a refused request with. */
export function createSigV4Authorization(auth: SigV4Auth, seams: SigV4Seams): RequestAuthorization {
  let chain = seams.credentials;
  /** Keys that are derived for a day. */
  const cache = new Map<string, ArrayBuffer>();
  let day = "";
  return {
    async headersOf({ method, url, body }: RequestToAuthorize) {
      const { AwsV4Signer } = await loadLibrary("aws4fetch", "sigv4", () => import("aws4fetch"));
      chain ??= await standardChain(auth);
      const { accessKeyId, secretAccessKey, sessionToken } = await chain();
      const datetime = new Date(seams.nowMs()).toISOString().replace(/[:-]|\.\d{3}/g, "");
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

async function standardChain({ region, profile }: SigV4Auth): Promise<() => Promise<AwsCredentials>> {
  const { defaultProvider } = await loadLibrary(
    "@aws-sdk/credential-provider-node",
    "sigv4",
    () => import("@aws-sdk/credential-provider-node"),
  );
  return defaultProvider({ clientConfig: { region }, ...(profile === undefined ? {} : { profile }) });
}
