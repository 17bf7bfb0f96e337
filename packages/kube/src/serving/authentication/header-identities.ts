import { type CacheMeter, createComputedCache } from "@plimsoll/component-base";
import { withAuthenticatedGroup } from "../../reviews/identity.ts";
import type { AuthenticationConfig } from "./authentication-config.ts";
import type { AuthenticationResult } from "./authentication-result.ts";
import { isIdentityHeader } from "./identity-headers.ts";
import { readRequestHeaders } from "./request-header.ts";

const maxKeyLength = 4096;

/**
 * The user that a front proxy names. A few callers repeat, so the user of a set of identity headers is cached for as
 * long as the configuration is the same object; the same user is then also the same object.
 */
export function createHeaderIdentities(
  meter?: CacheMeter,
): (rawHeaders: readonly string[], config: AuthenticationConfig) => AuthenticationResult {
  const identities = createComputedCache<AuthenticationConfig, AuthenticationResult>({
    name: "identities",
    meter,
    maxBytes: 4 * 1024 * 1024,
    maxKeyLength,
    sizeOf: (identity) => (identity.type === "user" ? 6 * JSON.stringify(identity.user).length : 0),
  });

  return (rawHeaders, config) => {
    // Neither a header's name nor its value can hold a line feed, so the key says exactly what was sent.
    let key = "";
    for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
      const name = rawHeaders[index] ?? "";
      if (isIdentityHeader(config, name.toLowerCase())) key += `${name}\n${rawHeaders[index + 1] ?? ""}\n`;
    }
    return identities.get(key, config, () => read(rawHeaders, config));
  };
}

function read(rawHeaders: readonly string[], config: AuthenticationConfig): AuthenticationResult {
  if (config.requestHeader === undefined) return { type: "anonymous" };
  const identity = readRequestHeaders(rawHeaders, config.requestHeader);
  switch (identity.type) {
    case "user":
      return { type: "user", user: withAuthenticatedGroup(identity.user), method: "front-proxy" };
    case "ambiguous":
      return { type: "refused", reason: `header ${identity.header} was sent more than once` };
    case "absent":
      return { type: "anonymous" };
  }
}
