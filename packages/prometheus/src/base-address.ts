// The address of a Prometheus, taken apart once: what each request needs of it, and what no message may show.
import { redactUrl } from "@plimsoll/core/redact";
import { addressProblem } from "./address.ts";

export interface BaseAddress {
  readonly prefix: string;
  readonly search: string;
  readonly authorization: string | undefined;
  readonly isLoopback: boolean;
  /** The password and the values of query parameters. */
  readonly secrets: readonly string[];
  /** Of these the password, and parameters whose names say that they are secret. */
  readonly credentials: readonly string[];
}

/** Of a header or a parameter. */
export const secretName = /auth|token|key|secret|cookie|passw|credential|signature/i;

/** @throws TypeError when the text is not an address of a Prometheus */
export function parseBase(text: string): BaseAddress {
  const problem = addressProblem(text);
  if (problem !== undefined)
    throw new TypeError(`the Prometheus URL ${JSON.stringify(redactUrl(text))} ${problem}`);
  const url = new URL(text);
  const user = decoded(url.username);
  const password = decoded(url.password);
  const hasCredentials = user !== "" || password !== "";
  return {
    prefix: `${url.origin}${url.pathname.replace(/\/+$/, "")}`,
    search: url.search.slice(1),
    authorization: hasCredentials
      ? `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`
      : undefined,
    isLoopback: /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname),
    secrets: [password, url.password, ...url.searchParams.values()],
    credentials: [
      password,
      ...[...url.searchParams].flatMap(([name, value]) => (secretName.test(name) ? [value] : [])),
    ],
  };
}

/** A "%" that encodes nothing is kept. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
