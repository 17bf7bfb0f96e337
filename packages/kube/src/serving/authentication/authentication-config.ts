import { messageOf } from "@plimsoll/component-base";
import { type Certificate, parseCertificates } from "./certificates.ts";

/** Which certificates and headers identify callers: kube-system/extension-apiserver-authentication, or the flags. */
export interface AuthenticationConfig {
  readonly clientCa: readonly Certificate[];
  readonly requestHeader: RequestHeaderConfig | undefined;
}

export interface RequestHeaderConfig {
  readonly anchors: readonly Certificate[];
  /** Empty: any common name. */
  readonly allowedNames: readonly string[];
  /** Header names and prefixes are in lower case. */
  readonly usernameHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraHeaderPrefixes: readonly string[];
}

export const noAuthentication: AuthenticationConfig = { clientCa: [], requestHeader: undefined };

export type ConfigResult =
  | { readonly ok: true; readonly config: AuthenticationConfig }
  | { readonly ok: false; readonly problems: readonly string[] };

/**
 * @upstream staging/src/k8s.io/apiserver/pkg/server/options/authentication_dynamic_request_header.go
 */
export function parseAuthenticationConfigMap(data: Readonly<Record<string, string>>): ConfigResult {
  const problems: string[] = [];
  const certificates = (key: string): readonly Certificate[] => {
    const pem = data[key];
    if (pem === undefined || pem.trim() === "") return [];
    try {
      return parseCertificates(pem);
    } catch (error) {
      problems.push(`${key}: ${messageOf(error)}`);
      return [];
    }
  };
  const names = (key: string): readonly string[] => {
    const list = parseStringList(data[key]);
    if (list === undefined) problems.push(`${key}: not a JSON array of strings`);
    return list ?? [];
  };
  const headers = (key: string): readonly string[] => names(key).map((name) => name.trim().toLowerCase());

  const clientCa = certificates("client-ca-file");
  const anchors = certificates("requestheader-client-ca-file");
  const requestHeader = {
    anchors,
    allowedNames: names("requestheader-allowed-names"),
    usernameHeaders: headers("requestheader-username-headers"),
    uidHeaders: headers("requestheader-uid-headers"),
    groupHeaders: headers("requestheader-group-headers"),
    extraHeaderPrefixes: headers("requestheader-extra-headers-prefix"),
  };
  if (problems.length > 0) return { ok: false, problems };
  return { ok: true, config: { clientCa, requestHeader: anchors.length === 0 ? undefined : requestHeader } };
}

function parseStringList(text: string | undefined): readonly string[] | undefined {
  if (text === undefined || text.trim() === "") return [];
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) && value.every((item) => typeof item === "string") ? value : undefined;
  } catch {
    return undefined;
  }
}
