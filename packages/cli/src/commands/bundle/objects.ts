// What the bundle has of autoscalers: objects, scales, events, answers of metrics APIs, and decisions.
import { encodeRecord, summarize } from "@plimsoll/core";
import { type KubeClient, type KubeObject, readList, readScale } from "@plimsoll/kube";
import type { Cluster } from "../../cluster/cluster.ts";
import type { Decisions } from "../../decisions/open.ts";
import type { Explained } from "../../decisions/source.ts";
import type { Endpoint } from "../../endpoint/endpoint.ts";
import { type ScalingObject, typedName } from "../../objects/scaling-object.ts";
import { explainDocument } from "../explain/document.ts";
import { cleaned } from "./clean.ts";
import { fileName, jsonFile, orMissing, type Part, type Parts } from "./parts.ts";

export interface ObjectsRequest {
  readonly cluster: Cluster;
  readonly objects: readonly ScalingObject[];
  /** Recomputing queries the metrics APIs; what they respond is in `answers` then. */
  readonly decisions: Decisions;
  /** Undefined: nothing is recorded. */
  readonly endpoint: Endpoint | undefined;
  readonly answers: ReadonlyMap<string, unknown>;
  readonly sinceMs: number;
  readonly nowMs: number;
  readonly includesPods: boolean;
}

/** Of all objects, one after another. */
export async function* objectParts(request: ObjectsRequest): Parts {
  const { cluster, objects } = request;
  for (const object of objects) {
    const { namespace, name, target } = object.identity;
    const folder = `objects/${fileName(namespace)}/${fileName(typedName(object).replace("/", "-"))}`;
    yield jsonFile(`${folder}/object.json`, object.object);
    const what = `${namespace}/${name}`;
    yield* await orMissing(cluster, `the scale of ${target.kind} ${target.name} of ${what}`, () =>
      scaleOf(cluster, object, folder),
    );
    const { recorded, recomputing } = request.decisions;
    if (recorded !== undefined) {
      yield* await decisionParts(cluster, object, {
        folder,
        name: "recorded",
        read: () => recorded.newest(object.identity),
      });
      yield* await historyParts(request, object, folder);
    }
    yield* await decisionParts(cluster, object, {
      folder,
      name: "recomputed",
      read: () => recomputing.explain(object),
    });
  }
  for (const [path, answer] of request.answers) {
    yield jsonFile(`metrics/${fileName(path.replace(/^\/apis\//, "").replaceAll("/", "."))}.json`, {
      path,
      answer,
    });
  }
  const namespaces = new Set(objects.map(({ identity }) => identity.namespace));
  for (const namespace of namespaces) yield* namespaceParts(request, namespace);
}

async function scaleOf(cluster: Cluster, { identity, object }: ScalingObject, folder: string): Promise<Part> {
  const { apiVersion = "", kind, name } = object.spec.scaleTargetRef;
  const group = apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "";
  const [info] = await cluster.mapper.byKind(group, kind);
  if (info === undefined) {
    return {
      kind: "missing",
      what: `the scale of ${kind} ${name}`,
      reason: `the cluster has no kind ${kind}`,
    };
  }
  return jsonFile(`${folder}/scale.json`, await readScale(cluster.client, info, identity.namespace, name));
}

interface DecisionToRead {
  readonly folder: string;
  readonly name: "recorded" | "recomputed";
  readonly read: () => Promise<Explained>;
}

/** A decision, and the record of it, which can be replayed. */
async function decisionParts(
  cluster: Cluster,
  { identity }: ScalingObject,
  { folder, name, read }: DecisionToRead,
): Promise<readonly Part[]> {
  const what = `the ${name} decision of ${identity.namespace}/${identity.name}`;
  let record: Part | undefined;
  const parts = await orMissing(cluster, what, async () => {
    const explained = await read();
    const { decision, notes, errors = [] } = explained;
    if (explained.record !== undefined) {
      const content = JSON.stringify(cleaned(JSON.parse(encodeRecord(explained.record))));
      record = { kind: "file", path: `${folder}/${name}.record.json`, content: `${content}\n` };
    }
    if (decision === undefined) {
      return {
        kind: "missing",
        what,
        reason: [...errors, ...notes].join("; ") || "only its status is known",
      };
    }
    const document = explainDocument(explained, { summary: summarize(decision), notes: [] });
    return jsonFile(`${folder}/${name}.json`, document);
  });
  return record === undefined ? parts : [...parts, record];
}

const maxDecisions = 20;

/** The decisions before. */
async function historyParts(
  { cluster, endpoint }: ObjectsRequest,
  { identity }: ScalingObject,
  folder: string,
): Promise<readonly Part[]> {
  if (endpoint === undefined) return [];
  return await orMissing(cluster, `the last decisions of ${identity.namespace}/${identity.name}`, async () =>
    jsonFile(`${folder}/decisions.json`, await endpoint.decisions(identity, { limit: maxDecisions })),
  );
}

async function* namespaceParts(request: ObjectsRequest, namespace: string): Parts {
  const { cluster, objects, includesPods } = request;
  const folder = `namespaces/${fileName(namespace)}`;
  const own = objects.filter(({ identity }) => identity.namespace === namespace);
  const names = new Set(own.flatMap(({ identity }) => [identity.name, identity.target.name]));
  yield* await orMissing(cluster, `the events of ${namespace}`, async () => {
    const all = await readList<Event>(cluster.client, `/api/v1/namespaces/${namespace}/events`);
    const since = request.nowMs - request.sinceMs;
    const found = all.filter(
      (event) => names.has(event.involvedObject?.name ?? "") && timeOf(event) >= since,
    );
    return jsonFile(`${folder}/events.json`, found);
  });
  if (!includesPods) return;
  yield* await orMissing(cluster, `the pods of ${namespace}`, async () =>
    jsonFile(`${folder}/pods.json`, await readList(cluster.client, `/api/v1/namespaces/${namespace}/pods`)),
  );
}

interface Event extends KubeObject {
  readonly involvedObject?: { readonly name?: string };
  readonly lastTimestamp?: string | null;
  readonly eventTime?: string | null;
}

/** One without a time is not old. */
function timeOf({ lastTimestamp, eventTime, metadata }: Event): number {
  const text = lastTimestamp ?? eventTime ?? metadata.creationTimestamp;
  const atMs = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(atMs) ? Number.POSITIVE_INFINITY : atMs;
}

/** The same client, which keeps what the metrics APIs respond. */
export function keepingAnswers(client: KubeClient, answers: Map<string, unknown>): KubeClient {
  return {
    ...client,
    async request<T>(request: Parameters<KubeClient["request"]>[0]) {
      const isMetrics = /^\/apis\/(?:custom\.|external\.)?metrics\.k8s\.io\//.test(request.path);
      const query = Object.entries(request.query ?? {}).map(([name, value]) => `${name}=${String(value)}`);
      const key = query.length === 0 ? request.path : `${request.path}?${query.join("&")}`;
      try {
        // Of protobuf only what is needed would be read, and the request would return nothing.
        const { readProtobuf: _, ...inJson } = request;
        const answer = await client.request<T>(isMetrics ? inJson : request);
        if (isMetrics) answers.set(key, answer);
        return answer;
      } catch (error) {
        if (isMetrics) answers.set(key, { error: error instanceof Error ? error.message : String(error) });
        throw error;
      }
    },
  };
}
