// Callers of the decision API over HTTPS, with tokens that the fake API server reviews.
import type { OutgoingHttpHeaders } from "node:http";
import { type RequestOptions, request } from "node:https";
import type { TLSSocket } from "node:tls";
import type { AutoscalerConfig } from "../../src/index.ts";
import type { FakeApi } from "../fake-api.ts";

export const secure = {
  port: 0,
  files: undefined,
  selfSignedHosts: [],
  openPaths: ["/healthz", "/livez", "/readyz"],
  advertiseAddress: undefined,
  hasLookup: false,
  relayTokenFile: undefined,
  consoleDirectory: undefined,
};
export const serving: AutoscalerConfig["serving"] = {
  bindAddress: "127.0.0.1",
  port: 0,
  hasInsecureDecisions: false,
  hasInsecureMetrics: false,
  secure,
};

export interface Attributes {
  readonly verb: string;
  readonly group?: string;
  readonly resource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly path?: string;
}

interface ReviewSpec {
  readonly token?: string;
  readonly audiences?: readonly string[];
  readonly user?: string;
  readonly groups?: readonly string[];
  readonly resourceAttributes?: Attributes;
  readonly nonResourceAttributes?: Attributes;
}

/** Tokens are valid that begin with "token-of-"; who may do what is up to the test. */
export function reviews(api: FakeApi, may: (user: string, what: Attributes) => boolean): void {
  const created = (status: object) => ({ code: 201, body: { status } });
  const specOf = (body: unknown) => (body as { readonly spec: ReviewSpec }).spec;
  api.script(
    "POST",
    /\/tokenreviews$/,
    ({ body }) => {
      const { token = "", audiences } = specOf(body);
      const user = /^(?:token|relay)-of-(.+)$/.exec(token)?.[1];
      // A token is for the API server, or for relays.
      if (token.startsWith("relay-") !== (audiences !== undefined)) return created({ authenticated: false });
      return created(
        user === undefined
          ? { authenticated: false, error: "invalid bearer token" }
          : {
              authenticated: true,
              user: { username: user },
              ...(audiences === undefined ? {} : { audiences }),
            },
      );
    },
    1000,
  );
  api.script(
    "POST",
    /\/subjectaccessreviews$/,
    ({ body }) => {
      const { user = "", resourceAttributes, nonResourceAttributes } = specOf(body);
      return created({ allowed: may(user, resourceAttributes ?? nonResourceAttributes ?? { verb: "" }) });
    },
    1000,
  );
}

export interface Answer {
  readonly code: number;
  readonly body: string;
  readonly fingerprint: string;
  readonly connection: string | undefined;
}

export function get(
  port: number,
  path: string,
  user?: string,
  options: RequestOptions = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const token = user === undefined ? {} : { authorization: `Bearer token-of-${user}` };
    const headers = { ...token, ...(options.headers as OutgoingHttpHeaders | undefined) };
    const asked = request(
      { ...options, host: "127.0.0.1", port, path, headers, rejectUnauthorized: false, agent: false },
      (response) => {
        const { fingerprint256 } = (response.socket as TLSSocket).getPeerCertificate();
        let body = "";
        response.setEncoding("utf8");
        response.on("data", (part: string) => (body += part));
        response.on("end", () => {
          const { statusCode: code = 0, headers: answered } = response;
          resolve({ code, body, fingerprint: fingerprint256, connection: answered.connection });
        });
      },
    );
    asked.on("error", reject);
    asked.end();
  });
}
