// Invariant: a process writes replicas only by the specification that it knows.
import { isDeepStrictEqual } from "node:util";
import { wlaDefinition } from "@plimsoll/core/internal/objects";
import type { CreateInvariant, Observation, Observed, Outcome } from "../run/world.ts";
import { type Decided, isActive, targetOfDecided, uidOfDecided } from "./decisions.ts";
import { evaluationManager, hpaResource, targetOfPath } from "./names.ts";
import { createAfterRestore } from "./restores.ts";

/** More than are made between a decision and its write. */
const maxEdits = 50;

const collections =
  /^\/apis\/(autoscaling\/v2|autoscaling\.plimsoll\.dev\/[^/]+)\/(horizontalpod|workload)autoscalers$/;

interface Edit {
  readonly version: number;
  readonly before: unknown;
  readonly after: unknown;
}

interface Decision {
  readonly kind: string;
  readonly version: number;
  readonly uid: string;
}

interface State {
  /** By uid, in their order. */
  readonly edits: Map<string, readonly Edit[]>;
  /** By process and kind, the version up to which it has received everything. */
  readonly received: Map<string, number>;
  /** By process and target, the last decision to scale it. */
  readonly decisions: Map<string, Decision>;
}

/**
 * An edit of an object (paused, in mode Shadow, with other bounds) that a process received after it
 * decided, and before it sends the replicas, withdraws the decision; one that was put back by then does not.
 */
export const editsAreHeeded: CreateInvariant = (world) => {
  const state: State = { edits: new Map(), received: new Map(), decisions: new Map() };
  const isAfterRestore = createAfterRestore(world);
  world.cluster.onRestore(() => {
    for (const map of Object.values(state)) map.clear();
  });
  return {
    name: "edits-are-heeded",
    observe(observation) {
      follow(state, observation);
      return observation.kind === "sent" && !isAfterRestore() ? ofRequest(state, observation) : undefined;
    },
  };
};

function follow(state: State, observation: Observation): void {
  if (observation.kind === "process" && observation.change === "started") started(state, observation);
  else if (observation.kind === "written") written(state, observation);
  else if (observation.kind === "watched") received(state, observation, observation.text);
  else if (observation.kind === "received" && showsAll(observation))
    received(state, observation, observation.body ?? "");
  else if (observation.kind === "decided") decided(state, observation);
}

/** A look for a restore has the version of the collection and one of its objects; a page with others after it has a token. */
function showsAll({ request, body = "" }: Observed<"received">): boolean {
  return request.query.get("limit") !== "1" && !body.includes('"continue":"');
}

function started({ received, decisions }: State, { process }: Observed<"process">): void {
  for (const map of [received, decisions])
    for (const key of map.keys()) if (key.startsWith(`${process} `)) map.delete(key);
}

function written({ edits }: State, { event }: Observed<"written">): void {
  const { resource, object, previous, version } = event;
  if (previous === undefined || (resource !== hpaResource && resource !== wlaDefinition)) return;
  if (isDeepStrictEqual(object.spec, previous.spec)) return;
  const { uid = "" } = object.metadata;
  const edit = { version, before: previous.spec, after: object.spec };
  edits.set(uid, [...(edits.get(uid) ?? []), edit].slice(-maxEdits));
}

function received(state: State, { process, request }: Observed<"watched" | "received">, text: string): void {
  const path = collections.exec(request.path);
  if (path === null) return;
  const kind = path[2] === "horizontalpod" ? "HorizontalPodAutoscaler" : "WorkloadAutoscaler";
  const key = `${process} ${kind}`;
  state.received.set(key, Math.max(state.received.get(key) ?? 0, lastVersion(text)));
}

function decided(state: State, decision: Decided): void {
  const { process, input, result } = decision;
  const { kind = "" } = input.hpa;
  const key = `${process} ${targetOfDecided(decision)}`;
  const version = state.received.get(`${process} ${kind}`) ?? 0;
  if (result.decision.scaleTo === undefined || !isActive(decision)) state.decisions.delete(key);
  else state.decisions.set(key, { kind, uid: uidOfDecided(decision), version });
}

function ofRequest(state: State, { process, request }: Observed<"sent">): Outcome {
  const target = request.method === "PUT" ? targetOfPath(request.path) : undefined;
  if (target === undefined || request.query.get("fieldManager") !== evaluationManager) return undefined;
  const decision = state.decisions.get(`${process} ${target}`);
  if (decision === undefined) return undefined;
  const receivedVersion = state.received.get(`${process} ${decision.kind}`) ?? 0;
  const edits = (state.edits.get(decision.uid) ?? []).filter(
    ({ version }) => version > decision.version && version <= receivedVersion,
  );
  if (isDeepStrictEqual(edits.at(0)?.before, edits.at(-1)?.after)) return true;
  return `${process} scales ${target} although it received an edit after its decision`;
}

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
