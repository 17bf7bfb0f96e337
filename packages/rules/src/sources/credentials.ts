// What proves to a source who asks, where it is read from files.
import { registerSecret, secretsOfHeader } from "@plimsoll/core/redact";
import type { TlsOptions } from "@plimsoll/prometheus";
import type { FetchedAuth, SourceAuth, SourceConfig } from "./source-config.ts";

type ReadText = (file: string) => Promise<string>;

/** Undefined: it is read from files, or there is none. */
export function fetchedAuth(auth: SourceAuth): FetchedAuth | undefined {
  const { type } = auth;
  return type === "none" || type === "basic" || type === "bearer" || type === "mtls" ? undefined : auth;
}

/** An empty CA would be that of the system, and an empty secret is refused only when it is sent. @throws Error then */
export async function readFilled(file: string, readText: ReadText): Promise<string> {
  const text = await readText(file);
  if (text.trim() === "") throw new Error(`${file} is empty`);
  return text;
}

/** What is sent as it was read. */
export interface SourceCredentials {
  readonly headers: Readonly<Record<string, string>>;
  readonly tls: TlsOptions;
}

/** What is sent to a source, read from its files. @throws Error when one cannot be read, or cannot be a header. */
export async function readSourceCredentials(
  { headers, headerFiles, auth, tls }: SourceConfig,
  readText: ReadText,
): Promise<SourceCredentials> {
  const optional = async (file: string | undefined): Promise<string | undefined> =>
    file === undefined ? undefined : await readFilled(file, readText);
  const [ca, cert, key] = await Promise.all([
    optional(tls.caFile),
    optional(tls.certFile),
    optional(tls.keyFile),
  ]);
  const all: Record<string, string> = Object.fromEntries(headers.map(({ name, value }) => [name, value]));
  for (const { name, file } of headerFiles) {
    const value = headerValue(await readText(file), file);
    registerSecret(...secretsOfHeader(name, value));
    all[name] = value;
  }
  const authorization = await readAuthorization(auth, readText);
  if (authorization !== undefined) all["authorization"] = authorization;
  return {
    headers: all,
    tls: {
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
      ...(tls.serverName === undefined ? {} : { serverName: tls.serverName }),
      ...(tls.insecureSkipVerify ? { insecureSkipVerify: true } : {}),
    },
  };
}

async function readAuthorization(auth: SourceAuth, readText: ReadText): Promise<string | undefined> {
  if (auth.type === "bearer") return await readBearer(auth.tokenFile, readText);
  if (auth.type !== "basic") return undefined;
  const password = (await readFilled(auth.passwordFile, readText)).replace(/\r?\n$/, "");
  return `Basic ${Buffer.from(`${auth.username}:${password}`).toString("base64")}`;
}

/** The header with the token of a file. @throws Error when it cannot be read, or cannot be a header. */
export async function readBearer(file: string, readText: ReadText): Promise<string> {
  return `Bearer ${headerValue(await readText(file), file)}`;
}

/** The content of a file as the value of a header. It is in no message. */
function headerValue(text: string, file: string): string {
  const value = text.trim();
  if (value === "") throw new Error(`${file} is empty`);
  if (/[^\t\x20-\x7e]/.test(value)) throw new Error(`${file} has a character that no header may have`);
  return value;
}
