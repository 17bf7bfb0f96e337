// Clusters of tests: an API server and a client as functions, and what they serve.
import type { Clock } from "@plimsoll/component-base";
import {
  ApiError,
  type Connection,
  type KubeClient,
  type KubeRequest,
  type ResourceInfo,
} from "@plimsoll/kube";
import { createByteStream, type InProcessResponse, inProcessClient } from "@plimsoll/kube/testing";

/** `cluster` is for kinds without namespaces. */
export type ServedResource = readonly [apiVersion: string, kind: string, resource: string, scope?: "cluster"];

interface Stored {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string | undefined;
    readonly labels?: Readonly<Record<string, string>> | undefined;
  };
}

export interface ApiServerOptions {
  readonly resources: readonly ServedResource[];
  readonly version?: string;
  /** Named groups that discovery shows; all by default. */
  readonly groups?: readonly string[];
  /** Objects in a page of a list. */
  readonly pageSize?: number;
}

export type ApiServer = ReturnType<typeof apiServer>;

/** Discovery, objects, lists, and replies of the test, with every request on record. */
export function apiServer({ resources, version = "v1.37.1", groups, pageSize }: ApiServerOptions) {
  const objects = new Map<string, Stored>();
  const replies = new Map<string, InProcessResponse>();
  const requests: string[] = [];
  const underWay = { now: 0, most: 0 };
  let denied: RegExp | undefined;

  function respond(path: string, query: URLSearchParams): InProcessResponse {
    if (denied?.test(path) === true) return failure(403, `${path} is forbidden: User "u" cannot read it`);
    const reply = replies.get(path);
    if (reply !== undefined) return reply;
    if (path === "/version") return { code: 200, body: { gitVersion: version } };
    if (path === "/api" || path === "/apis") return { code: 200, body: discovery(path, resources, groups) };
    const object = objects.get(path);
    if (object !== undefined) return { code: 200, body: object };
    if (!hasCollection(path, resources)) return failure(404, `${path} not found`);
    const items = listed(objects, path, query);
    if (pageSize === undefined) return { code: 200, body: { kind: "List", metadata: {}, items } };
    const end = Number(query.get("continue") ?? 0) + pageSize;
    const metadata = { continue: end < items.length ? String(end) : "" };
    return { code: 200, body: { kind: "List", metadata, items: items.slice(end - pageSize, end) } };
  }

  return {
    requests,
    /** How many requests the server has at the same time. */
    underWay,
    /** Adds objects, at the paths that their kinds have. */
    put(...added: readonly (Stored | Readonly<Record<string, unknown>>)[]) {
      for (const object of added as readonly Stored[]) objects.set(pathOf(object, resources), object);
    },
    /** A body for 200, or the message of a refusal. */
    reply(path: string, body: unknown, code = 200) {
      replies.set(path, code === 200 ? { code, body } : failure(code, String(body)));
    },
    /** What a program behind the API server writes. */
    replyText(path: string, text: string) {
      replies.set(path, { code: 200, body: text, stream: streamOf(text) });
    },
    deny(paths: RegExp) {
      denied = paths;
    },
    connection(clock: Clock): Connection {
      const client = inProcessClient({
        clock,
        async respond({ method, path, query }) {
          const from = query.get("continue");
          requests.push(`${method} ${path}${from === null ? "" : ` from ${from}`}`);
          underWay.now += 1;
          underWay.most = Math.max(underWay.most, underWay.now);
          await Promise.resolve();
          underWay.now -= 1;
          return respond(path, query);
        },
      });
      return { client, access: accessTo(client.server) };
    },
  };
}

function accessTo(server: string): Connection["access"] {
  const credentials = {
    read: () => Promise.resolve({ headers: {}, tls: {} }),
    reload: () => Promise.resolve(),
  };
  const context = { name: "test", cluster: "c", user: "u", namespace: undefined };
  return { server, proxyUrl: undefined, credentials, context };
}

function pathOf({ apiVersion = "", kind, metadata }: Stored, resources: readonly ServedResource[]): string {
  const found = resources.find(([version, name]) => version === apiVersion && name === kind);
  if (found === undefined) throw new Error(`no resource of kind ${kind}`);
  const place = found[3] === "cluster" ? "" : `/namespaces/${metadata.namespace ?? "default"}`;
  return `${rootOf(apiVersion)}${place}/${found[2]}/${metadata.name}`;
}

function hasCollection(path: string, resources: readonly ServedResource[]): boolean {
  return resources.some(
    ([apiVersion, , resource]) => path.startsWith(`${rootOf(apiVersion)}/`) && path.endsWith(`/${resource}`),
  );
}

/** Labels by equality or one value with "in", and of fields the name. */
function listed(
  objects: ReadonlyMap<string, Stored>,
  path: string,
  query: URLSearchParams,
): readonly Stored[] {
  const selector = query.get("labelSelector") ?? "";
  const name = /^metadata\.name=(.*)$/.exec(query.get("fieldSelector") ?? "")?.[1];
  const isOfAll = !path.includes("/namespaces/");
  const wanted =
    selector === "" ? [] : selector.split(",").map((part) => part.replace(/\)$/, "").split(/=| in \(/));
  return [...objects]
    .map(([at, object]) => ({ at: at.slice(0, at.lastIndexOf("/")), object }))
    .filter(({ at }) => (isOfAll ? at.replace(/\/namespaces\/[^/]+/, "") : at) === path)
    .map(({ object }) => object)
    .filter(({ metadata }) => name === undefined || metadata.name === name)
    .filter(({ metadata }) => wanted.every(([key = "", value]) => metadata.labels?.[key] === value));
}

function streamOf(text: string) {
  return Object.assign(createByteStream(), {
    async *[Symbol.asyncIterator]() {
      await Promise.resolve();
      yield Buffer.from(text);
    },
  });
}

function failure(code: number, message: string): InProcessResponse {
  const reason = code === 403 ? "Forbidden" : "NotFound";
  return { code, body: { kind: "Status", code, reason, message } };
}

function rootOf(apiVersion: string): string {
  return apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
}

function discovery(path: string, resources: readonly ServedResource[], groups?: readonly string[]): object {
  const isCore = path === "/api";
  const wanted = resources.filter(([version]) => version.includes("/") !== isCore);
  const versions = [...new Set(wanted.map(([apiVersion]) => apiVersion))];
  const items = versions
    .map((apiVersion) => ({ apiVersion, name: isCore ? "" : (apiVersion.split("/")[0] ?? "") }))
    .filter(({ name }) => groups === undefined || isCore || groups.includes(name))
    .map(({ apiVersion, name }) => ({
      metadata: { name },
      versions: [
        {
          version: apiVersion.split("/").at(-1),
          resources: wanted
            .filter(([version]) => version === apiVersion)
            .map(([, kind, resource, scope]) => ({
              resource,
              responseKind: { kind },
              scope: scope === "cluster" ? "Cluster" : "Namespaced",
              verbs: ["get", "list"],
              subresources: kind === "Deployment" || kind === "StatefulSet" ? [{ subresource: "scale" }] : [],
            })),
        },
      ],
    }));
  return { kind: "APIGroupDiscoveryList", items };
}

export interface FakeClient extends KubeClient {
  readonly requests: readonly KubeRequest[];
}

/** A client whose answers a function makes up; what it throws is thrown. */
export function fakeClient(answer: (request: KubeRequest) => unknown): FakeClient {
  const requests: KubeRequest[] = [];
  return {
    server: "https://fake",
    requests,
    async request<T>(request: KubeRequest): Promise<T> {
      requests.push(request);
      return (await answer(request)) as T;
    },
    stream: () => Promise.reject(new Error("no streams here")),
    close: () => Promise.resolve(),
  };
}

export function apiError(code: number, reason = "", retryAfterMs?: number): ApiError {
  return new ApiError({ code, reason, message: `${String(code)} ${reason}`.trim(), retryAfterMs });
}

/** A kind of namespaced objects with a regular plural: Deployments of apps/v1 unless the test says otherwise. */
export function resourceInfo(info: Partial<ResourceInfo> = {}): ResourceInfo {
  const { kind = "Deployment" } = info;
  const singular = kind.toLowerCase();
  return {
    group: "apps",
    version: "v1",
    resource: `${singular}s`,
    singular,
    kind,
    namespaced: true,
    verbs: [],
    hasScale: true,
    shortNames: [],
    ...info,
  };
}
