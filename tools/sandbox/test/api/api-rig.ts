import type { OutgoingHttpHeaders } from "node:http";
import { request as httpsRequest } from "node:https";
import { createInterface } from "node:readline";
import { parse } from "yaml";
import { createSandbox, type Sandbox, type SandboxAddress, type SandboxOptions } from "../../src/index.ts";

/** A response of the sandbox, its body parsed where it is JSON. */
export interface Answer {
  readonly code: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  readonly body: Json;
}

/** A JSON document of any shape, to reach into; comparisons are made with toEqual and toBe. */
export interface Json {
  readonly [key: string]: Json;
  readonly [index: number]: Json;
}

export interface CallOptions {
  readonly body?: unknown;
  readonly type?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly as?: "admin" | "anonymous" | { readonly token: string };
}

export interface ApiRig {
  readonly sandbox: Sandbox;
  readonly address: SandboxAddress;
  /** The administrator's client certificate. */
  readonly credentials: { readonly cert: string; readonly key: string };
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** Events of a watch until `enough` says stop or the server ends it. */
  watch(
    path: string,
    enough: (events: readonly Json[]) => boolean,
    options?: { ready?: () => Promise<void> | void; accept?: string },
  ): Promise<Json[]>;
}

/** Runs a test against a started sandbox without workloads, over real TLS. */
export async function withApi(
  use: (rig: ApiRig) => Promise<void>,
  options: SandboxOptions = {},
): Promise<void> {
  const sandbox = createSandbox({ workloads: false, ...options });
  const address = await sandbox.start();
  try {
    await use(rigOf(sandbox, address));
  } finally {
    await sandbox.stop();
  }
}

function rigOf(sandbox: Sandbox, address: SandboxAddress): ApiRig {
  const user = parse(address.kubeconfig).users[0].user as Record<string, string>;
  const pem = (key: string): string => Buffer.from(user[key] ?? "", "base64").toString();
  const admin = { cert: pem("client-certificate-data"), key: pem("client-key-data") };
  const open = (method: string, path: string, options: CallOptions) => {
    const identity = options.as ?? "admin";
    const body =
      options.body === undefined
        ? undefined
        : Buffer.isBuffer(options.body)
          ? options.body
          : typeof options.body === "string"
            ? options.body
            : JSON.stringify(options.body);
    const request = httpsRequest(new URL(path, address.url), {
      method,
      agent: false,
      ca: address.caPem,
      ...(identity === "admin" ? admin : {}),
      headers: {
        ...(body === undefined
          ? {}
          : {
              "content-type": options.type ?? "application/json",
              "content-length": Buffer.byteLength(body),
            }),
        ...(typeof identity === "object" ? { authorization: `Bearer ${identity.token}` } : {}),
        ...options.headers,
      },
    });
    request.end(body);
    return request;
  };
  return {
    sandbox,
    address,
    credentials: admin,
    call: (method, path, options = {}) =>
      new Promise((resolve, reject) => {
        const request = open(method, path, options);
        request.once("error", reject);
        request.once("response", (response) => {
          let text = "";
          response.setEncoding("utf8");
          response.on("data", (chunk: string) => (text += chunk));
          response.once("end", () =>
            resolve({
              code: response.statusCode ?? 0,
              headers: response.headers,
              text,
              body: (text.startsWith("{") ? JSON.parse(text) : {}) as Json,
            }),
          );
        });
      }),
    watch: (path, enough, { ready, accept } = {}) =>
      new Promise((resolve, reject) => {
        const events: Json[] = [];
        const request = open("GET", path, accept === undefined ? {} : { headers: { accept } });
        request.once("error", reject);
        request.once("response", (response) => {
          response.once("error", reject);
          const lines = createInterface({ input: response });
          // The interface repeats errors of its input.
          lines.on("error", () => {});
          lines.on("line", (line) => {
            events.push(JSON.parse(line) as Json);
            if (!enough(events)) return;
            resolve(events);
            lines.close();
            request.off("error", reject);
            request.on("error", () => {});
            response.off("error", reject);
            response.on("error", () => {});
            request.destroy();
          });
          response.once("end", () => resolve(events));
          Promise.resolve(ready?.()).catch(reject);
        });
      }),
  };
}

export function deployment(name: string, replicas = 1): Record<string, unknown> {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name: "main", image: "app:1", ports: [{ containerPort: 80 }] }] },
      },
    },
  };
}

export function configMap(
  name: string,
  data: Record<string, string> = {},
  labels?: Record<string, string>,
): unknown {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, ...(labels === undefined ? {} : { labels }) },
    data,
  };
}

export const configMaps = "/api/v1/namespaces/default/configmaps";
export const deployments = "/apis/apps/v1/namespaces/default/deployments";
export const hpas = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers";

/** A value of a document as text, which it must be. */
export function text(value: unknown): string {
  if (typeof value !== "string") throw new Error(`not text: ${JSON.stringify(value)}`);
  return value;
}
