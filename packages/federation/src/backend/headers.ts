// The headers of a request to a backend: a fixed set, into which nothing of the caller's identity comes.

/** Says that a request was handed on by an adapter already: it is never handed on once more. */
export const hopHeader = "plimsoll-federation-hop";

/** What the headers are made of. */
export interface HeaderParts {
  readonly host: string;
  readonly port: number;
  readonly token: string;
  readonly accept: string;
  readonly auditId: string | undefined;
  readonly userAgent: string;
}

/** All headers of a request: those of the caller, and any that impersonate, are never among them. */
export function requestHeaders(parts: HeaderParts): Readonly<Record<string, string>> {
  const { host, port, token, accept, auditId, userAgent } = parts;
  const name = host.includes(":") ? `[${host}]` : host;
  return {
    Host: port === 443 ? name : `${name}:${port}`,
    Accept: accept,
    // Nothing is unpacked here, so that nothing can be packed too small.
    "Accept-Encoding": "identity",
    Authorization: `Bearer ${token}`,
    "User-Agent": userAgent,
    [hopHeader]: "1",
    ...(auditId === undefined ? {} : { "Audit-ID": auditId }),
  };
}
