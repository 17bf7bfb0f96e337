import type { IncomingHttpHeaders } from "node:http";
import { type Agent, request as httpsRequest } from "node:https";
import { type Clock, systemClock } from "@plimsoll/component-base";
import type { Federation } from "@plimsoll/federation";
import { noStore } from "@plimsoll/kube/serving";
import { type Authority, createAuthority, type Identity, issue } from "@plimsoll/kube/testing";
import { Registry } from "prom-client";
import { type Adapter, createAdapter } from "../../src/app/adapter.ts";
import type { AdapterOptions } from "../../src/options/compile.ts";
import { parseOptions } from "../../src/options/options.ts";
import { type FakeEngine, type FakeKube, fakeEngine, fakeKube, recordingLog } from "./fakes.ts";

export interface Pki {
  readonly serving: Authority;
  readonly proxyCa: Authority;
  readonly clientCa: Authority;
  readonly server: Identity;
  /** kube-apiserver as front proxy. */
  readonly proxy: Identity;
}

export async function createPki(): Promise<Pki> {
  const [serving, proxyCa, clientCa] = await Promise.all([
    createAuthority("serving-ca"),
    createAuthority("front-proxy-ca"),
    createAuthority("cluster-ca"),
  ]);
  const [server, proxy] = await Promise.all([
    issue(serving, "CN=adapter", { usage: "server", hosts: ["localhost", "127.0.0.1"] }),
    issue(proxyCa, "CN=front-proxy-client"),
  ]);
  return { serving, proxyCa, clientCa, server, proxy };
}

let pkiOfAll: Promise<Pki> | undefined;

/** One for all tests of a process that do not ask for their own: keys and certificates take time. */
function sharedPki(): Promise<Pki> {
  pkiOfAll ??= createPki();
  return pkiOfAll;
}

export interface Harness {
  readonly port: number;
  readonly engine: FakeEngine;
  readonly kube: FakeKube;
  readonly adapter: Adapter;
  readonly log: ReturnType<typeof recordingLog>;
  readonly registry: Registry;
  /** Files that the process would read; change them to see a reload. */
  readonly files: Map<string, string>;
  readonly pki: Pki;
}

export interface HarnessOptions {
  readonly engine?: FakeEngine;
  readonly kube?: FakeKube;
  readonly pki?: Pki;
  readonly clock?: Clock;
  readonly flags?: readonly string[];
  readonly extraFiles?: Readonly<Record<string, string>>;
  /** Other adapters, started. */
  readonly federation?: (seams: { engine: FakeEngine; registry: Registry }) => Promise<Federation>;
  /** Where the authentication configuration comes from. */
  readonly source?: "files" | "configmap";
}

export function parsedOptions(flags: readonly string[]): AdapterOptions {
  const result = parseOptions(
    ["--config=rules.yaml", "--bind-address=127.0.0.1", "--secure-port=0", ...flags],
    "1.2.3",
  );
  if (result.type !== "options") {
    throw new Error(JSON.stringify(result));
  }
  return result.options;
}

const fileFlags = [
  "--authentication-skip-lookup",
  "--client-ca-file=/client-ca",
  "--requestheader-client-ca-file=/proxy-ca",
  "--requestheader-allowed-names=front-proxy-client,second-proxy",
];

export async function startAdapter(options: HarnessOptions = {}): Promise<Harness> {
  const pki = options.pki ?? (await sharedPki());
  const engine = options.engine ?? fakeEngine();
  const kube = options.kube ?? fakeKube();
  const log = recordingLog();
  const registry = new Registry();
  const files = new Map([
    ["/tls.crt", pki.server.cert],
    ["/tls.key", pki.server.key],
    ["/client-ca", pki.clientCa.pem],
    ["/proxy-ca", pki.proxyCa.pem],
    ...Object.entries(options.extraFiles ?? {}),
  ]);
  const federation = await options.federation?.({ engine, registry });
  const adapter = createAdapter(
    parsedOptions([
      "--tls-cert-file=/tls.crt",
      "--tls-private-key-file=/tls.key",
      ...(options.source === "configmap" ? [] : fileFlags),
      ...(options.flags ?? []),
    ]),
    {
      engine,
      federation,
      authenticationClient: kube,
      authorizationClient: kube,
      registry,
      clock: options.clock ?? systemClock,
      log,
      readText: async (path) => {
        const text = files.get(path);
        if (text === undefined) {
          throw new Error(`ENOENT: ${path}`);
        }
        return text;
      },
      certificateStore: noStore,
      hostname: "adapter-0",
      build: { version: "1.2.3", runtime: "node", platform: "linux/x64" },
    },
  );
  const { port } = await adapter.start();
  return { port, engine, kube, adapter, log, registry, files, pki };
}

export interface Answer {
  readonly code: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- the tests say what must be in it
  json(): any;
}

export interface Ask {
  readonly path: string;
  readonly method?: string;
  readonly headers?: Record<string, string | string[]>;
  readonly identity?: Identity | undefined;
  readonly agent?: Agent;
  readonly body?: string;
}

/** One request over its own TLS connection, unless an agent is given. The path goes out as it is. */
export function ask(harness: Pick<Harness, "port" | "pki">, what: Ask): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpsRequest(
      {
        host: "127.0.0.1",
        port: harness.port,
        path: what.path,
        method: what.method ?? "GET",
        headers: what.headers ?? {},
        ca: harness.pki.serving.pem,
        servername: "localhost",
        agent: what.agent ?? false,
        ...(what.identity === undefined ? {} : { cert: what.identity.cert, key: what.identity.key }),
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => {
          const text = Buffer.concat(chunks).toString("utf8");
          resolve({
            code: response.statusCode ?? 0,
            headers: response.headers,
            text,
            json: () => JSON.parse(text),
          });
        });
      },
    );
    request.on("error", reject);
    request.end(what.body);
  });
}

/** As kube-apiserver asks for its own controllers. */
export function askAs(
  harness: Pick<Harness, "port" | "pki">,
  path: string,
  rest: Omit<Ask, "path"> & { user?: string; groups?: string[] } = {},
): Promise<Answer> {
  const { user = "system:kube-aggregator", groups = ["system:masters"], headers, ...others } = rest;
  return ask(harness, {
    path,
    identity: harness.pki.proxy,
    ...others,
    headers: { "X-Remote-User": user, "X-Remote-Group": groups, ...headers },
  });
}
