// Tokens by the client credentials of OAuth 2.0.
import { redact, registerHost, registerSecret } from "@plimsoll/core/redact";
import { createNodeFetch, cut, type FetchLike } from "@plimsoll/prometheus";
import type { OAuth2Auth } from "@plimsoll/rules";
import {
  allowInsecureRequests,
  ClientSecretBasic,
  ClientSecretPost,
  type CustomFetchOptions,
  clientCredentialsGrantRequest,
  customFetch,
  processClientCredentialsResponse,
  ResponseBodyError,
} from "oauth4webapi";
import type { Token } from "../token-store.ts";

export interface OAuth2Seams {
  /** @throws Error when the file cannot be read */
  readonly readText: (file: string) => Promise<string>;
  readonly nowMs: () => number;
}

/** A token is a header; a response that is larger is none of a token endpoint. */
const maxResponseBytes = 64 * 1024;
const timeoutMs = 10_000;

/** The files are read at each fetch, so that rotated secrets are used. @throws Error, whose message holds no secret */
export async function fetchOAuth2Token(auth: OAuth2Auth, { readText, nowMs }: OAuth2Seams): Promise<Token> {
  const read = async (file: string): Promise<string> => {
    const text = (await readText(file)).trim();
    if (text === "") throw new Error(`${file} is empty`);
    return text;
  };
  const [secret, ca] = await Promise.all([
    read(auth.clientSecretFile),
    auth.caFile === undefined ? undefined : read(auth.caFile),
  ]);
  // A client's Basic encodes both parts before they are joined.
  const pair = [auth.clientId, secret]
    .map((part) => new URLSearchParams({ part }).toString().slice(5))
    .join(":");
  const secrets = [secret, `${auth.clientId}:${secret}`, pair];
  registerSecret(...secrets);
  registerHost(auth.tokenUrl);
  const hide = (text: string): string => redact(text, secrets);
  const connection = createNodeFetch(ca === undefined ? {} : { tls: { ca } });
  try {
    const { value, seconds } = await requestToken(auth, secret, connection.fetch);
    return { value, expiresAtMs: seconds === undefined ? undefined : nowMs() + seconds * 1_000 };
  } catch (error) {
    const host = URL.parse(auth.tokenUrl)?.host ?? "";
    throw new Error(`the token endpoint ${host} returned no token: ${reasonOf(error, hide)}`, {
      cause: error,
    });
  } finally {
    connection.close();
  }
}

async function requestToken(
  { tokenUrl, clientId, scopes, parameters, tokenAuthMethod }: OAuth2Auth,
  secret: string,
  fetch: FetchLike,
): Promise<{ readonly value: string; readonly seconds: number | undefined }> {
  const server = { issuer: tokenUrl, token_endpoint: tokenUrl };
  const client = { client_id: clientId };
  const form = new URLSearchParams(parameters.map(([name, value]): [string, string] => [name, value]));
  if (scopes.length > 0) form.set("scope", scopes.join(" "));
  const authentication =
    tokenAuthMethod === "client_secret_post" ? ClientSecretPost(secret) : ClientSecretBasic(secret);
  const response = await clientCredentialsGrantRequest(server, client, authentication, form, {
    signal: AbortSignal.timeout(timeoutMs),
    // The reader of the file has warned of it.
    [allowInsecureRequests]: true,
    [customFetch]: (url, init) => fetchBounded(fetch, url, init),
  });
  const { access_token, token_type, expires_in } = await processClientCredentialsResponse(
    server,
    client,
    response,
  );
  if (token_type !== "bearer")
    throw new Error(`its tokens have type ${token_type}, but only bearer tokens are supported`);
  return { value: access_token, seconds: expires_in };
}

/** A whole response of bounded size. Redirects are not followed: they would get the secret. */
async function fetchBounded(
  fetch: FetchLike,
  url: string,
  { method, headers, body, signal }: CustomFetchOptions<"POST", URLSearchParams>,
): Promise<Response> {
  const response = await fetch(url, {
    method,
    headers: Object.fromEntries(Object.entries(headers)),
    body: body.toString(),
    signal: signal ?? AbortSignal.timeout(timeoutMs),
    redirect: "manual",
  });
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const raw of response.body ?? []) {
    const chunk = typeof raw === "string" ? Buffer.from(raw) : raw;
    size += chunk.byteLength;
    if (size > maxResponseBytes) throw new Error(`its response is larger than ${maxResponseBytes} bytes`);
    chunks.push(chunk);
  }
  const type = response.headers.get("content-type");
  return new Response(Buffer.concat(chunks), {
    status: response.status,
    headers: type === null ? {} : { "content-type": type },
  });
}

/** An endpoint may repeat what it was sent. */
function reasonOf(error: unknown, hide: (text: string) => string): string {
  if (error instanceof ResponseBodyError) {
    const { status, error: code, error_description: text } = error;
    return `HTTP ${status}: ${cut(hide(code))}${text === undefined ? "" : `: ${cut(hide(text))}`}`;
  }
  if (!(error instanceof Error)) return hide(String(error));
  const { cause } = error;
  if (cause instanceof Response) return `HTTP ${cause.status} without an OAuth 2.0 response`;
  return cut(hide(error.message));
}
