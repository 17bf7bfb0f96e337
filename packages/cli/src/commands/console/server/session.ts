// Who may read: the browser that brought the code of the printed address, by a cookie that scripts cannot read.
import { randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

export type Session = ReturnType<typeof createSession>;

const bytes = 32;
/** Browsers that opened one console. */
const maxBrowsers = 16;

/** The port is part of the name, because cookies of one host are shared by its ports. */
export function createSession(port: number, random: (size: number) => Buffer = randomBytes) {
  const next = (): string => random(bytes).toString("base64url");
  const name = `plimsoll-console-${port}`;
  const secrets: string[] = [];
  let code = next();
  return {
    /** The code of the next exchange; a new one after each. */
    code: (): string => code,
    /** The cookie to set, once for each code; undefined: the code was used, or is none. */
    exchange(given: string): string | undefined {
      if (!isSame(given, code)) return undefined;
      code = next();
      const secret = next();
      secrets.push(secret);
      if (secrets.length > maxBrowsers) secrets.shift();
      return `${name}=${secret}; Path=/apis/; HttpOnly; SameSite=Strict`;
    },
    isKnown({ headers }: IncomingMessage): boolean {
      const given = cookiesOf(headers.cookie ?? "", name);
      return given.some((one) => secrets.some((secret) => isSame(one, secret)));
    },
  };
}

function cookiesOf(header: string, name: string): readonly string[] {
  return header.split(";").flatMap((pair) => {
    const [key, value] = pair.trim().split("=", 2);
    return key === name && value !== undefined ? [value] : [];
  });
}

/** In a time that does not depend on how much of it is right. */
function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
