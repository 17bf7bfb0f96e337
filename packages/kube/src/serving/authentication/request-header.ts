// The identity in the headers of a front proxy.
import type { User } from "../../reviews/identity.ts";
import type { RequestHeaderConfig } from "./authentication-config.ts";

export type RequestHeaderResult =
  | { readonly type: "user"; readonly user: User }
  | { readonly type: "absent" }
  | { readonly type: "ambiguous"; readonly header: string };

/**
 * Reads the identity that a verified front proxy put into the headers.
 * @param rawHeaders Names and values in turn, as they came: joined values would hide a second header.
 * @upstream staging/src/k8s.io/apiserver/pkg/authentication/request/headerrequest/requestheader.go
 */
export function readRequestHeaders(
  rawHeaders: readonly string[],
  config: RequestHeaderConfig,
): RequestHeaderResult {
  const headers = collect(rawHeaders);
  const name = single(headers, config.usernameHeaders);
  const uid = single(headers, config.uidHeaders);
  for (const found of [name, uid]) {
    if (found !== undefined && "ambiguous" in found) return { type: "ambiguous", header: found.ambiguous };
  }
  if (name === undefined || !("value" in name) || name.value === "") return { type: "absent" };
  return {
    type: "user",
    user: {
      name: name.value,
      uid: uid !== undefined && "value" in uid ? uid.value : undefined,
      groups: config.groupHeaders.flatMap((header) => headers.get(header) ?? []),
      extra: readExtra(headers, config.extraHeaderPrefixes),
    },
  };
}

function collect(rawHeaders: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const headers = new Map<string, string[]>();
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? "").toLowerCase();
    // Node reads header bytes as latin1; Kubernetes writes UTF-8.
    const value = Buffer.from(rawHeaders[index + 1] ?? "", "latin1").toString("utf8");
    const values = headers.get(name);
    if (values === undefined) headers.set(name, [value]);
    else values.push(value);
  }
  return headers;
}

type Single = { readonly value: string } | { readonly ambiguous: string };

/** The first of these headers that is set. A front proxy sends it once; twice means that the caller added one. */
function single(
  headers: ReadonlyMap<string, readonly string[]>,
  names: readonly string[],
): Single | undefined {
  for (const name of names) {
    const values = headers.get(name);
    if (values !== undefined && values.length > 1) return { ambiguous: name };
    const value = values?.[0];
    if (value !== undefined && value !== "") return { value };
  }
  return undefined;
}

function readExtra(
  headers: ReadonlyMap<string, readonly string[]>,
  prefixes: readonly string[],
): Readonly<Record<string, readonly string[]>> {
  const extra = new Map<string, readonly string[]>();
  for (const prefix of prefixes) {
    for (const [header, values] of headers) {
      if (prefix !== "" && header.startsWith(prefix)) {
        const key = unescapeKey(header.slice(prefix.length));
        extra.set(key, [...(extra.get(key) ?? []), ...values]);
      }
    }
  }
  return Object.fromEntries(extra);
}

function unescapeKey(encoded: string): string {
  try {
    return decodeURIComponent(encoded).toLowerCase();
  } catch {
    return encoded;
  }
}
