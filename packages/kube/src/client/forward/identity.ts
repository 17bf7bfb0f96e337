// Which of a user's credentials another server than the API server may see.
import type { CredentialSource, Credentials } from "../credentials.ts";

/** How a user proves who it is to another server; "none": it has nothing that may be sent. */
export type EndpointIdentity = "certificate" | "token" | "none";

export interface IdentityRules {
  /** Whether a bearer token may be sent at all. */
  readonly sendsToken: boolean;
}

export function identityOf({ headers, tls }: Credentials, { sendsToken }: IdentityRules): EndpointIdentity {
  if (tls.cert !== undefined && tls.key !== undefined) return "certificate";
  return sendsToken && /^Bearer \S/.test(headers["authorization"] ?? "") ? "token" : "none";
}

/** A certificate, whose key stays here, before a token; neither passwords nor the cluster's own TLS settings. */
export function endpointCredentials(source: CredentialSource, rules: IdentityRules): CredentialSource {
  return {
    async read() {
      const credentials = await source.read();
      const { cert, key } = credentials.tls;
      switch (identityOf(credentials, rules)) {
        case "certificate":
          return { headers: {}, tls: cert && key ? { cert, key } : {} };
        case "token":
          return { headers: { authorization: credentials.headers["authorization"] ?? "" }, tls: {} };
        case "none":
          throw new Error("it has neither a client certificate nor a token that may be sent");
      }
    },
    reload: () => source.reload(),
  };
}
