// Other adapters behind ours, over TLS.
import type { RequestListener } from "node:http";
import { createServer } from "node:https";
import { systemClock } from "@plimsoll/component-base";
import { createFederation, type Federation, loadFederation } from "@plimsoll/federation";
import { generateServingCertificate } from "@plimsoll/kube/serving";
import { listen } from "@plimsoll/testbed/world";
import type { Registry } from "prom-client";
import { type FakeEngine, recordingLog } from "../http/fakes.ts";

export interface Backend {
  readonly port: number;
  readonly caPem: string;
  /** Paths, with the headers in lower case. */
  close(): Promise<void>;
  readonly requests: { readonly path: string; readonly headers: NodeJS.Dict<string | string[]> }[];
}

const certificate = generateServingCertificate(["127.0.0.1"], Date.now());

export async function startBackend(handle: RequestListener): Promise<Backend> {
  const { certPem: cert, keyPem: key, caPem } = await certificate;
  const requests: Backend["requests"] = [];
  const server = createServer({ cert, key }, (request, response) => {
    requests.push({ path: request.url ?? "", headers: request.headers });
    handle(request, response);
  });
  const { port, close } = await listen(server);
  return { port, caPem, requests, close };
}

/** Lists metrics of one group, and answers with one body for all else. */
export function adapterOf(group: string, names: readonly string[], body: string): RequestListener {
  const resources = names.map((name) => ({
    name,
    singularName: "",
    namespaced: true,
    kind: "X",
    verbs: ["get"],
  }));
  return (request, response) => {
    const path = request.url ?? "";
    const isList = path === `/apis/${group}/v1beta1`;
    const isKnown = isList || path.startsWith(`/apis/${group}/v1beta1/`);
    response.writeHead(isKnown ? 200 : 404, { "Content-Type": "application/json" });
    response.end(isList ? JSON.stringify({ kind: "APIResourceList", resources }) : body);
  };
}

/** A federation of the harness. */
export async function federate(
  backends: string,
  caPem: string,
  { engine, registry }: { readonly engine: FakeEngine; readonly registry: Registry },
): Promise<Federation> {
  const loaded = loadFederation(`backends:\n${backends}`);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const files: Readonly<Record<string, string>> = { "/ca": caPem, "/token": "our-own-token" };
  const federation = createFederation({
    config: loaded.config,
    isOwn: engine.owns,
    kindOf: engine.kindOf,
    discoveryMaxAgeMs: 3_600_000,
    readText: async (path) => files[path] ?? Promise.reject(new Error(`${path}: there is no such file`)),
    clock: systemClock,
    log: recordingLog(),
    registry,
    userAgent: "plimsoll-metrics-adapter/1.2.3",
  });
  await federation.start();
  return federation;
}

export function entry(name: string, port: number, group: string, more = ""): string {
  return `- {name: ${name}, url: "https://127.0.0.1:${port}", caBundleFile: /ca, tokenFile: /token, groups: [${group}]${more}}\n`;
}
