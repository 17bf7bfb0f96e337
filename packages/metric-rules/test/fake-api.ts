import type { Clock } from "@plimsoll/component-base";
import { ConnectionError, type KubeClient } from "@plimsoll/kube";
import {
  type ByteStream,
  createByteStream,
  type InProcessRequest,
  type InProcessResponse,
  inProcessClient,
} from "@plimsoll/kube/testing";
import type { RuleStatus } from "../src/kind/kind.ts";
import { rawRule } from "./rules.ts";

type Stored = ReturnType<typeof rawRule> & { status?: RuleStatus };

const collection = "/apis/autoscaling.plimsoll.dev/v1alpha1/metricrules";
const statusPath = /\/namespaces\/([^/]+)\/metricrules\/([^/]+)\/status$/;

const refusal = (code: number, reason: string): InProcessResponse => ({
  code,
  body: { kind: "Status", apiVersion: "v1", status: "Failure", code, reason, message: reason },
});

/** An API server with nothing but MetricRules, which counts generations and versions as the real one. */
export function createFakeApi(clock: Clock) {
  const objects = new Map<string, Stored>();
  const streams = new Set<ByteStream>();
  const writes: { readonly key: string; readonly status: RuleStatus; readonly code: number }[] = [];
  const state = {
    version: 10,
    isInstalled: true,
    refusedWrites: [] as InProcessResponse[],
    isForbidden: false,
    lists: 0,
  };

  const emit = (type: string, object: object): void => {
    for (const stream of streams) stream.write(`${JSON.stringify({ type, object })}\n`);
  };

  const store = (type: string, object: Stored): void => {
    state.version += 1;
    const { namespace, name } = object.metadata as { readonly namespace?: string; readonly name: string };
    const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(state.version) } };
    if (type === "DELETED") objects.delete(`${namespace}/${name}`);
    else objects.set(`${namespace}/${name}`, stored);
    emit(type, stored);
  };

  const putStatus = (namespace: string, name: string, body: Stored): InProcessResponse => {
    const key = `${namespace}/${name}`;
    const found = objects.get(key);
    const scripted = state.refusedWrites.shift();
    const respond = (): InProcessResponse => {
      if (scripted !== undefined) return scripted;
      if (found === undefined) return refusal(404, "NotFound");
      const [a, b] = [found.metadata, body.metadata] as { resourceVersion: string; uid: string }[];
      if (a?.resourceVersion !== b?.resourceVersion || a?.uid !== b?.uid) return refusal(409, "Conflict");
      store("MODIFIED", { ...found, ...(body.status === undefined ? {} : { status: body.status }) });
      return { code: 200, body: objects.get(key) };
    };
    const response = respond();
    if (body.status !== undefined) writes.push({ key, status: body.status, code: response.code });
    return response;
  };

  const respond = async ({ method, path, query, body }: InProcessRequest): Promise<InProcessResponse> => {
    const [, namespace = "", name = ""] = statusPath.exec(path) ?? [];
    if (!state.isInstalled) return refusal(404, "NotFound");
    if (method === "PUT") return putStatus(namespace, name, body as Stored);
    if (path !== collection) return refusal(404, "NotFound");
    if (query.get("watch") === null) {
      state.lists += 1;
      if (state.isForbidden) return refusal(403, "Forbidden");
      const metadata = { resourceVersion: String(state.version) };
      return { code: 200, body: { kind: "MetricRuleList", metadata, items: [...objects.values()] } };
    }
    const stream = createByteStream();
    streams.add(stream);
    stream.onClose(() => streams.delete(stream));
    return { code: 200, stream };
  };

  const client: KubeClient = inProcessClient({ clock, respond });
  return {
    client,
    state,
    writes,
    put(name: string, spec: object, metadata: object = {}): void {
      const next = rawRule(name, spec, metadata);
      const key = `${(next.metadata as { namespace?: string }).namespace}/${name}`;
      const former = objects.get(key);
      const generation =
        former === undefined ? 1 : (former.metadata as { generation: number }).generation + 1;
      const uid = (former?.metadata as { uid?: string } | undefined)?.uid ?? `uid-${state.version}`;
      const status = former?.status === undefined ? {} : { status: former.status };
      store(former === undefined ? "ADDED" : "MODIFIED", {
        ...next,
        metadata: { ...next.metadata, generation, uid },
        ...status,
      });
    },
    remove(namespace: string, name: string): void {
      const found = objects.get(`${namespace}/${name}`);
      if (found !== undefined) store("DELETED", found);
    },
    statusOf: (key: string): RuleStatus | undefined => objects.get(key)?.status,
    writeStatus(key: string, status: RuleStatus): void {
      const found = objects.get(key);
      if (found !== undefined) store("MODIFIED", { ...found, status });
    },
    /** As when the definition is deleted: the objects go, the watches end, and the path is unknown. */
    uninstall(): void {
      for (const found of objects.values()) store("DELETED", found);
      state.isInstalled = false;
      for (const stream of streams) stream.fail(new ConnectionError("reset", "the watch was cut"));
    },
  };
}
