import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { isRecord, stringAt } from "../storage/json-value.ts";
import type { UserInfo } from "./user.ts";

/** Mints and checks bearer tokens; they are good only for the server that made them. */
export interface TokenIssuer {
  /** The same user always gets a valid token; `expiresAtMs` undefined means never. */
  issue(user: UserInfo, expiresAtMs?: number): string;
  verify(token: string, nowMs: number): UserInfo | undefined;
}

export function createTokenIssuer(key: Buffer = randomBytes(32)): TokenIssuer {
  const sign = (text: string): string => createHmac("sha256", key).update(text).digest("base64url");
  const header = base64({ alg: "HS256", typ: "JWT" });
  return {
    issue(user, expiresAtMs) {
      const expiry = expiresAtMs === undefined ? {} : { exp: Math.floor(expiresAtMs / 1000) };
      const content = `${header}.${base64({ sub: user.username, uid: user.uid, groups: user.groups, ...expiry })}`;
      return `${content}.${sign(content)}`;
    },
    verify(token, nowMs) {
      const end = token.lastIndexOf(".");
      const content = token.slice(0, Math.max(end, 0));
      const expected = Buffer.from(sign(content));
      const given = Buffer.from(token.slice(end + 1));
      if (expected.length !== given.length || !timingSafeEqual(expected, given)) return undefined;
      const claims: unknown = JSON.parse(
        Buffer.from(content.split(".")[1] ?? "", "base64url").toString("utf8"),
      );
      if (!isRecord(claims)) return undefined;
      if (typeof claims["exp"] === "number" && claims["exp"] * 1000 <= nowMs) return undefined;
      const groups = Array.isArray(claims["groups"]) ? claims["groups"].map(String) : [];
      return {
        username: stringAt(claims, "sub") ?? "",
        uid: stringAt(claims, "uid") ?? "",
        groups,
        extra: {},
      };
    },
  };
}

export function serviceAccountUser(namespace: string, name: string, uid = ""): UserInfo {
  return {
    username: `system:serviceaccount:${namespace}:${name}`,
    uid,
    groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`],
    extra: {},
  };
}

function base64(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}
