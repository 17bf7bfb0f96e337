// Invariant: a process writes replicas only by the specification that it knows.
import { isDeepStrictEqual } from "node:util";
import type { CreateInvariant, Observed } from "../run/world.ts";

/** What a process wrote itself wins over older versions for so long, which a restored server may show. */
const restoredMs = 360_000;

const resources = /^(horizontalpodautoscalers|workloadautoscalers)\./;
const collections =
  /^\/apis\/(autoscaling\/v2|autoscaling\.plimsoll\.dev\/[^/]+)\/(horizontalpod|workload)autoscalers$/;
const scalePath = /\/namespaces\/([^/]+)\/(deployments|statefulsets)\/([^/]+)\/scale$/;

interface Edit {
  readonly kind: string;
  readonly version: number;
}

interface Decision {
  readonly kind: string;
  readonly uid: string;
  readonly version: number;
}

/**
 * An edit of an object (paused, in mode Shadow, with other bounds) that a process received after it
 * decided, and before it sends the replicas, withdraws the decision.
 */
export const editsAreHeeded: CreateInvariant = ({ cluster, time }) => {
  /** By uid, the last edit. */
  const edits = new Map<string, Edit>();
  /** By process and kind, the version up to which it has received everything. */
  const received = new Map<string, number>();
  /** By process and target, the last decision to scale it. */
  const decisions = new Map<string, Decision>();
  let settledMs = Number.NEGATIVE_INFINITY;
  cluster.onRestore(() => {
    for (const map of [edits, received, decisions]) map.clear();
    settledMs = time.nowMs + restoredMs;
  });
  return {
    name: "edits-are-heeded",
    observe(observation) {
      switch (observation.kind) {
        case "process":
          if (observation.change === "started") forget(observation.process);
          return undefined;
        case "written":
          follow(observation);
          return undefined;
        case "watched":
        case "received":
          hear(observation);
          return undefined;
        case "decided":
          decide(observation);
          return undefined;
        case "sent":
          return time.nowMs < settledMs ? undefined : send(observation);
        default:
          return undefined;
      }
    },
  };

  function forget(process: string): void {
    for (const map of [received, decisions])
      for (const key of map.keys()) if (key.startsWith(`${process} `)) map.delete(key);
  }

  function follow({ event: { resource, object, previous, version } }: Observed<"written">): void {
    if (previous === undefined || !resources.test(resource)) return;
    if (!isDeepStrictEqual(object.spec, previous.spec))
      edits.set(object.metadata.uid ?? "", { kind: object.kind ?? "", version });
  }

  function hear(heard: Observed<"watched" | "received">): void {
    const path = collections.exec(heard.request.path);
    if (path === null) return;
    const text = heard.kind === "watched" ? heard.text : (heard.body ?? "");
    const kind = path[2] === "horizontalpod" ? "HorizontalPodAutoscaler" : "WorkloadAutoscaler";
    const key = `${heard.process} ${kind}`;
    received.set(key, Math.max(received.get(key) ?? 0, lastVersion(text)));
  }

  function decide({ process, input, result }: Observed<"decided">): void {
    const { kind = "", metadata: { namespace = "", uid = "" } = {}, spec } = input.hpa;
    const { scaleTargetRef } = spec;
    const key = `${process} ${namespace}/${scaleTargetRef.kind.toLowerCase()}s/${scaleTargetRef.name}`;
    if (result.decision.scaleTo === undefined || (input.mode ?? "Active") !== "Active") decisions.delete(key);
    else decisions.set(key, { kind, uid, version: received.get(`${process} ${kind}`) ?? 0 });
  }

  function send({ process, request }: Observed<"sent">): string | undefined {
    if (request.method !== "PUT" || request.query.get("fieldManager") !== "plimsoll-autoscaler")
      return undefined;
    const path = scalePath.exec(request.path);
    if (path === null) return undefined;
    const [, namespace = "", plural = "", name = ""] = path;
    const decision = decisions.get(`${process} ${namespace}/${plural}/${name}`);
    const edit = edits.get(decision?.uid ?? "");
    if (decision === undefined || edit === undefined || edit.version <= decision.version) return undefined;
    if (edit.version > (received.get(`${process} ${decision.kind}`) ?? 0)) return undefined;
    return `${process} scales ${namespace}/${name} although it received an edit after its decision`;
  }
};

const marker = '"resourceVersion":"';

/** The highest version in the text; a watch shows them in their order. */
function lastVersion(text: string): number {
  let found = 0;
  for (let at = text.indexOf(marker); at >= 0; at = text.indexOf(marker, at + marker.length))
    found = Math.max(
      found,
      Number.parseInt(text.slice(at + marker.length, at + marker.length + 16), 10) || 0,
    );
  return found;
}
