// Verifies signatures of AWS, version 4, from its published description: the other side of what signs.
import { createHash, createHmac } from "node:crypto";
import type { SeenRequest } from "./local-server.ts";

export interface Key {
  readonly secret: string;
  readonly region: string;
  readonly service: string;
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();

/** Every byte but the unreserved ones of RFC 3986. */
function encoded(text: string): string {
  return [...Buffer.from(text)]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return /[A-Za-z0-9._~-]/.test(character)
        ? character
        : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
    })
    .join("");
}

function canonicalQuery(query: string): string {
  if (query === "") return "";
  return query
    .split("&")
    .map((part) => {
      const [name = "", ...rest] = part.split("=");
      return [name, rest.join("=")].map((one) => encoded(decodeURIComponent(one.replaceAll("+", " "))));
    })
    .map(([name, value]) => `${name}=${value}`)
    .toSorted()
    .join("&");
}

/** The signature that the request should have, of the headers that it says are signed. */
export function signatureOf({ method, target, headers, body }: SeenRequest, key: Key): string {
  const [path = "", query = ""] = target.split("?");
  const [, scope = "", signed = ""] =
    /Credential=[^/]+\/(\S+), SignedHeaders=(\S+), /.exec(headers["authorization"] ?? "") ?? [];
  const names = signed.split(";");
  const canonical = [
    method,
    path.split("/").map(encoded).join("/"),
    canonicalQuery(query),
    ...names.map((name) => `${name}:${(headers[name] ?? "").trim().replace(/\s+/g, " ")}`),
    "",
    signed,
    sha256(body),
  ].join("\n");
  const at = headers["x-amz-date"] ?? "";
  const text = ["AWS4-HMAC-SHA256", at, scope, sha256(canonical)].join("\n");
  const parts = [at.slice(0, 8), key.region, key.service, "aws4_request"];
  const signing = parts.reduce<string | Buffer>((secret, part) => hmac(secret, part), `AWS4${key.secret}`);
  return hmac(signing, text).toString("hex");
}

/** The signature that the request has. */
export function signatureIn({ headers }: SeenRequest): string | undefined {
  return /Signature=([0-9a-f]{64})$/.exec(headers["authorization"] ?? "")?.[1];
}
