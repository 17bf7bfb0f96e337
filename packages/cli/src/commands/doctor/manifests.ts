// Evidence out of manifests: what rules can say without a cluster.
import { ConversionError, convertHpa } from "@plimsoll/core/api";
import { unserved } from "@plimsoll/core/internal/objects";
import { type Fields, fieldsOf, textOf } from "@plimsoll/core/internal/values";
import {
  type Autoscaler,
  at,
  type Evidence,
  type FactReadings,
  groupOf,
  isSame,
  keyOf,
  known,
  listOf,
  nameOf,
  namespaceOf,
  noFacts,
  type ObjectEvidence,
  type Reading,
  readAutoscaler,
  type TargetFact,
  unknown,
} from "@plimsoll/doctor";
import {
  type ConvertProblem,
  problemText,
  readSources,
  type SourceObject,
} from "@plimsoll/migration/manifests";
import { checkAutoscaler } from "@plimsoll/simulator";
import { readInput, shownFile } from "../../input/read-input.ts";
import type { CliSeams } from "../../seams.ts";
import { type ListedFact, listedFacts } from "./gather/kinds.ts";

export interface ManifestEvidence {
  readonly evidence: Evidence;
  /** What of the files could not be read. */
  readonly problems: readonly string[];
  readonly notes: readonly string[];
}

const needsCluster = "needs a cluster";

/** @throws CliError when a file cannot be read at all. */
export async function manifestEvidence(
  files: readonly string[],
  namespace: string,
  seams: Pick<CliSeams, "readText" | "nowMs">,
): Promise<ManifestEvidence> {
  const objects: Fields[] = [];
  const problems: string[] = [];
  const notes: string[] = [];
  const places = new Map<string, ConvertProblem>();
  for (const file of files) {
    const read = readSources(await readInput(file, seams), shownFile(file));
    const refused = read.objects.flatMap((object) => checkAutoscaler(object.value).map(object.locate));
    problems.push(...[...read.problems, ...refused].map(problemText));
    for (const source of read.objects) {
      const object = inNamespace(asServed(source.value), namespace);
      objects.push(object);
      const found = repeated(object, source, places);
      if (found !== undefined) (found.isInOneFile ? problems : notes).push(found.text);
    }
  }
  const cluster = { ...noFacts(needsCluster), ...listsOf(objects), events: unknown(needsCluster) };
  const near = Map.groupBy(objects, namespaceOf);
  const facts = new Map([...near].map(([name, own]) => [name, factsIn(own, cluster)]));
  const evidence = objects.flatMap((raw): readonly ObjectEvidence[] => {
    const object = readAutoscaler(raw);
    if (object === undefined) return [];
    return [evidenceOf(object, near.get(object.namespace) ?? [], facts.get(object.namespace) ?? cluster)];
  });
  return { evidence: { nowMs: seams.nowMs(), objects: evidence, cluster }, problems, notes };
}

/** What an autoscaler of the same name gets: those of one file overwrite each other, those of several may be variants. */
function repeated(object: Fields, { locate }: SourceObject, places: Map<string, ConvertProblem>) {
  const autoscaler = readAutoscaler(object);
  if (autoscaler === undefined || autoscaler.name === "") return undefined;
  const { kind, name: value } = autoscaler;
  const key = `${kind} ${keyOf(autoscaler)}`;
  const other = places.get(key);
  const message = `is the ${kind} of ${other?.file}:${other?.line}, and the one applied last wins`;
  const found = locate({ path: "metadata.name", value, message, remedy: "remove or rename one of them" });
  places.set(key, found);
  return other && { text: problemText(found), isInOneFile: other.file === found.file };
}

/** Rules read the shape of autoscaling/v2. */
function asServed(object: Fields): Fields {
  if (unserved(textOf(object["apiVersion"])).length === 0) return object;
  try {
    return convertHpa(object, "v2");
  } catch (error) {
    if (!(error instanceof ConversionError)) throw error;
    return object;
  }
}

function inNamespace(object: Fields, namespace: string): Fields {
  if (namespaceOf(object) !== "") return object;
  return { ...object, metadata: { ...fieldsOf(object["metadata"]), namespace } };
}

function listsOf(objects: readonly Fields[]): Pick<FactReadings, ListedFact> {
  const names = Object.keys(listedFacts) as ListedFact[];
  return Object.fromEntries(names.map((name) => [name, known(ofKind(objects, name))])) as Pick<
    FactReadings,
    ListedFact
  >;
}

/** By the group, and the plural that nearly all kinds have. */
function ofKind(objects: readonly Fields[], name: ListedFact): readonly Fields[] {
  const { group, resource } = listedFacts[name];
  return objects.filter(
    ({ kind, apiVersion }) =>
      groupOf(textOf(apiVersion)) === group && `${textOf(kind).toLowerCase()}s` === resource,
  );
}

function factsIn(objects: readonly Fields[], cluster: FactReadings): FactReadings {
  const { nodes, apiServices } = cluster;
  const autoscalers = (kind: string) =>
    known(objects.flatMap((one) => (one["kind"] === kind ? (readAutoscaler(one) ?? []) : [])));
  const [hpas, wlas] = [autoscalers("HorizontalPodAutoscaler"), autoscalers("WorkloadAutoscaler")];
  return { ...cluster, ...listsOf(objects), nodes, apiServices, hpas, wlas };
}

function evidenceOf(object: Autoscaler, near: readonly Fields[], facts: FactReadings): ObjectEvidence {
  const target = targetIn(object, near);
  const pods = podsOf(object, target, defaultRequests(near));
  return { object, facts: { ...facts, target, ...builtInTarget(object), pods } };
}

function targetIn({ target }: Autoscaler, objects: readonly Fields[]): Reading<TargetFact> {
  const found = objects.find((one) => {
    const reference = { apiVersion: textOf(one["apiVersion"]), kind: textOf(one["kind"]), name: nameOf(one) };
    return isSame(reference, target);
  });
  return found === undefined
    ? unknown("the target is not in the files")
    : known({ found: true, object: found });
}

/** Kinds of Kubernetes itself with a scale, by group. Groups of others have a dot. */
const scaled: Readonly<Record<string, readonly string[]>> = {
  apps: ["Deployment", "StatefulSet", "ReplicaSet"],
  "": ["ReplicationController"],
};

/** What is known of a target that no server could scale. */
function builtInTarget({ target }: Autoscaler): Partial<Pick<FactReadings, "target" | "scale">> {
  const { apiVersion, kind } = target;
  const group = groupOf(apiVersion);
  if (kind === "" || group.includes(".") || scaled[group]?.includes(kind) === true) return {};
  const meant = kind.toLowerCase().replace(/s$/, "");
  const candidates = Object.entries(scaled).flatMap(([of, kinds]) =>
    kinds.filter((one) => one.toLowerCase() === meant).map((one) => `${of === "" ? "" : `${of}/`}v1 ${one}`),
  );
  if (candidates.length === 0)
    return {
      target: known({ found: true, object: { ...target } }),
      scale: known({ found: false, message: `a ${kind} cannot be scaled` }),
    };
  const message = `no matches for kind "${kind}" in group "${group}"`;
  return { target: known({ found: false, message, isUnknownKind: true, candidates }) };
}

/** One pod, as the template of the target has it. */
function podsOf(
  { target }: Autoscaler,
  reading: Reading<TargetFact>,
  defaults: Fields,
): Reading<readonly Fields[]> {
  if (!reading.ok || !reading.value.found) return unknown("the target is not in the files");
  const template = at(reading.value.object, "spec", "template");
  if (template === undefined) return unknown("the target has no pod template");
  const controller = { kind: target.kind, name: target.name, controller: true };
  return known([
    {
      metadata: {
        name: target.name,
        labels: at(template, "metadata", "labels"),
        ownerReferences: [controller],
      },
      spec: withRequests(at(template, "spec"), defaults),
      status: { phase: "Running" },
    },
  ]);
}

/** @upstream pkg/apis/core/v1/defaults.go#SetDefaults_LimitRangeItem */
function defaultRequests(objects: readonly Fields[]): Fields {
  const limits = objects
    .filter(({ kind }) => kind === "LimitRange")
    .flatMap((one) => listOf(at(one, "spec", "limits")))
    .filter(({ type }) => type === "Container");
  const fields = ["min", "max", "default", "defaultRequest"];
  return Object.assign({}, ...limits.flatMap((limit) => fields.map((field) => limit[field]))) as Fields;
}

/** What the API server makes of a template: a limit without a request is both. */
function withRequests(spec: unknown, defaults: Fields): Fields {
  const containers = (field: string) =>
    listOf(at(spec, field)).map((container) => {
      const resources = fieldsOf(container["resources"]);
      const requests = { ...defaults, ...fieldsOf(resources["limits"]), ...fieldsOf(resources["requests"]) };
      return { ...container, resources: { ...resources, requests } };
    });
  return {
    ...fieldsOf(spec),
    containers: containers("containers"),
    initContainers: containers("initContainers"),
  };
}
