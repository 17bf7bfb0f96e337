// Classifies errors of connections.
import { ConnectionError, type ConnectionFailure } from "../api-error.ts";

const kinds: Readonly<Record<string, ConnectionFailure>> = {
  ECONNREFUSED: "refused",
  EHOSTUNREACH: "refused",
  ENETUNREACH: "refused",
  ENOTFOUND: "dns",
  EAI_AGAIN: "dns",
  ECONNRESET: "reset",
  EPIPE: "reset",
  UND_ERR_SOCKET: "reset",
  ETIMEDOUT: "timeout",
  UND_ERR_CONNECT_TIMEOUT: "timeout",
  UND_ERR_HEADERS_TIMEOUT: "timeout",
  UND_ERR_BODY_TIMEOUT: "timeout",
  UND_ERR_CLOSED: "closed",
  UND_ERR_DESTROYED: "closed",
  EPROTO: "tls",
  DEPTH_ZERO_SELF_SIGNED_CERT: "tls",
  SELF_SIGNED_CERT_IN_CHAIN: "tls",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "tls",
  UNABLE_TO_GET_ISSUER_CERT: "tls",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "tls",
};

/** Why a request failed; a ConnectionError says so already. */
export function toConnectionError(error: unknown, what: string): ConnectionError {
  if (error instanceof ConnectionError) return error;
  const code = codeOf(error) ?? codeOf((error as { cause?: unknown } | undefined)?.cause) ?? "";
  const reason = error instanceof Error && error.message !== "" ? error.message : code || String(error);
  return new ConnectionError(kindOf(code), `${what}: ${reason}`, error);
}

function kindOf(code: string): ConnectionFailure {
  const known = kinds[code];
  if (known !== undefined) return known;
  if (code.startsWith("ERR_TLS") || code.startsWith("ERR_SSL") || code.startsWith("CERT_")) return "tls";
  return code.startsWith("HPE_") ? "bad_response" : "other";
}

function codeOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  const { code } = error as { code?: unknown };
  return typeof code === "string" ? code : undefined;
}
