// Finds the headers by which a front proxy names the user.
import type { AuthenticationConfig } from "./authentication-config.ts";

/** Whether a header, in lower case, carries identity under this configuration. */
export function isIdentityHeader(config: AuthenticationConfig, name: string): boolean {
  const { requestHeader } = config;
  return (
    requestHeader !== undefined &&
    (requestHeader.usernameHeaders.includes(name) ||
      requestHeader.uidHeaders.includes(name) ||
      requestHeader.groupHeaders.includes(name) ||
      requestHeader.extraHeaderPrefixes.some((prefix) => prefix !== "" && name.startsWith(prefix)))
  );
}
