// What the bundle has of autoscalers: objects, scales, events, answers of metrics APIs, and decisions.
import { encodeRecord, summarize } from "@plimsoll/core";
import { type KubeClient, type KubeObject, readScale } from "@plimsoll/kube";
import type { Cluster } from "../cluster/cluster.ts";
import type { Decisions } from "../decisions/open.ts";
import type { Explained } from "../decisions/source.ts";
import { explainDocument } from "../explain/document.ts";
import { listAll } from "../objects/list.ts";
import { type ScalingObject, typedName } from "../objects/scaling-object.ts";
import { cleaned } from "./clean.ts";
import { fileName, jsonFile, orMissing, type Part, type Parts } from "./parts.ts";

export interface ObjectsRequest {
  readonly cluster: Cluster;
  readonly objects: readonly ScalingObject[];
  /** Those whose reading asks the metrics APIs; what they answer is in `answers` then. */
  readonly decisions: Decisions;
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
    yield* await decisionParts(request, object, folder);
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

/** The newest decision: recorded where there is an autoscaler, else recomputed; and the record of it. */
async function decisionParts(
  { cluster, decisions }: ObjectsRequest,
  object: ScalingObject,
  folder: string,
): Promise<readonly Part[]> {
  const { namespace, name } = object.identity;
  let record: Part | undefined;
  const parts = await orMissing(cluster, `the decision of ${namespace}/${name}`, async () => {
    const explained = await newest(decisions, object);
    if (explained.record !== undefined) {
      const content = JSON.stringify(cleaned(JSON.parse(encodeRecord(explained.record))));
      record = { kind: "file", path: `${folder}/record.json`, content: `${content}\n` };
    }
    if (explained.decision === undefined) {
      return {
        kind: "missing",
        what: `the decision of ${namespace}/${name}`,
        reason: explained.notes.join("; ") || "only its status is known",
      };
    }
    const { notes } = explained;
    return jsonFile(
      `${folder}/decision.json`,
      explainDocument(explained, { summary: summarize(explained.decision), notes: [...notes] }),
    );
  });
  return record === undefined ? parts : [...parts, record];
}

async function newest({ recorded, recomputing }: Decisions, object: ScalingObject): Promise<Explained> {
  if (recorded === undefined) return await recomputing.explain(object);
  return await recorded.newest(object.identity);
}

async function* namespaceParts(request: ObjectsRequest, namespace: string): Parts {
  const { cluster, objects, includesPods } = request;
  const folder = `namespaces/${fileName(namespace)}`;
  const own = objects.filter(({ identity }) => identity.namespace === namespace);
  const names = new Set(own.flatMap(({ identity }) => [identity.name, identity.target.name]));
  yield* await orMissing(cluster, `the events of ${namespace}`, async () => {
    const all = await listAll<Event>(cluster.client, `/api/v1/namespaces/${namespace}/events`);
    const since = request.nowMs - request.sinceMs;
    const found = all.filter(
      (event) => names.has(event.involvedObject?.name ?? "") && timeOf(event) >= since,
    );
    return jsonFile(`${folder}/events.json`, found);
  });
  if (!includesPods) return;
  yield* await orMissing(cluster, `the pods of ${namespace}`, async () =>
    jsonFile(`${folder}/pods.json`, await listAll(cluster.client, `/api/v1/namespaces/${namespace}/pods`)),
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
        const answer = await client.request<T>(request);
        if (isMetrics) answers.set(key, answer);
        return answer;
      } catch (error) {
        if (isMetrics) answers.set(key, { error: error instanceof Error ? error.message : String(error) });
        throw error;
      }
    },
  };
}
