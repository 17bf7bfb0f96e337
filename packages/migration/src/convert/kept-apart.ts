// Sees that no two objects that are written have one name or one target: they would overwrite or stop each other.
import { type Fields, fieldsOf } from "@plimsoll/core/internal/values";
import type { Document } from "yaml";
import type { ConvertProblem } from "../manifests/problem.ts";
import type { SourceObject } from "../manifests/source.ts";
import type { Conversion } from "./converter.ts";
import { textOf } from "./values.ts";

/** What was made of one object. */
export type ConvertedObject = Extract<Conversion, { ok: true }> & { readonly source: SourceObject };

/** What is kept of them, in their order; each other one is a problem, or became part of one that is kept. */
export function keptApart(converted: readonly ConvertedObject[]): {
  readonly kept: readonly ConvertedObject[];
  readonly problems: readonly ConvertProblem[];
} {
  const kept: ConvertedObject[] = [];
  const problems: ConvertProblem[] = [];
  const [names, targets] = [new Map<string, Owner[]>(), new Map<string, Owner[]>()];
  for (const one of converted) {
    const [document] = one.documents;
    const owner = document && ownerOf(one.source, document);
    if (owner === undefined) {
      kept.push(one);
      continue;
    }
    const sharing = sharedWith(owner, targets, owner.target);
    const joined = sharing === undefined ? undefined : joinMetrics(sharing, owner);
    if (sharing !== undefined && joined === true) {
      kept.push({ ...one, documents: [], notes: [...one.notes, joinedNote(sharing)] });
      continue;
    }
    const named = sharedWith(owner, names, owner.name);
    const other = named ?? sharing;
    if (other === undefined) kept.push(one);
    else problems.push(one.source.locate(named === undefined ? sharedTarget(other) : sharedName(other)));
  }
  return { kept, problems };
}

/** A document that takes its name and its target. */
interface Owner {
  readonly source: SourceObject;
  readonly document: Document;
  readonly name: string;
  readonly target: string;
  /** Undefined: it may be any. */
  readonly namespace: string | undefined;
}

function ownerOf(source: SourceObject, document: Document): Owner | undefined {
  const { metadata, spec } = document.toJS() as Readonly<Record<"metadata" | "spec", Fields>>;
  const { apiVersion, kind, name } = fieldsOf(spec["scaleTargetRef"]);
  if (typeof metadata["name"] !== "string") return undefined;
  const group = (textOf(apiVersion) ?? "").replace(/(?:^|\/)[^/]*$/, "");
  const { namespace } = metadata;
  return {
    source,
    document,
    name: metadata["name"],
    target: JSON.stringify([group, kind, name]),
    namespace: typeof namespace === "string" && namespace !== "" ? namespace : undefined,
  };
}

/** The earlier one of the key; otherwise this one is noted. */
function sharedWith(owner: Owner, owners: Map<string, Owner[]>, key: string): Owner | undefined {
  const known = owners.get(key) ?? [];
  const { namespace } = owner;
  const found = known.find(
    (one) => namespace === undefined || one.namespace === undefined || one.namespace === namespace,
  );
  if (found === undefined) owners.set(key, [...known, owner]);
  return found;
}

/** HPAs that differ in their metrics alone are one; the built-in controller scales by neither of two. */
function joinMetrics(one: Owner, other: Owner): boolean {
  if (![one, other].every(({ source }) => source.kind === "HorizontalPodAutoscaler")) return false;
  if (one.name === other.name || one.namespace !== other.namespace) return false;
  const [{ metrics: kept, ...rest }, { metrics: added, ...same }] = [one, other].map(
    ({ document }) => (document.toJS() as { readonly spec: Fields }).spec,
  ) as [Fields, Fields];
  if (!Array.isArray(kept) || !Array.isArray(added) || JSON.stringify(rest) !== JSON.stringify(same))
    return false;
  for (const metric of added) one.document.addIn(["spec", "metrics"], one.document.createNode(metric));
  return true;
}

const describe = ({ source, name }: Owner) => `${source.kind} ${JSON.stringify(name)}`;

function joinedNote(other: Owner) {
  return {
    path: "spec.scaleTargetRef",
    message: `is also the target of the ${describe(other)}: one WorkloadAutoscaler gets the metrics of both, while the built-in controller uses neither`,
    remedy: "remove the metrics that you don't want",
  };
}

function sharedTarget(other: Owner) {
  return {
    path: "spec.scaleTargetRef",
    message: `is also the target of the ${describe(other)}, and two WorkloadAutoscalers with one target block each other`,
    remedy: "merge them into one object, or convert one only",
  };
}

function sharedName(other: Owner) {
  return {
    path: "metadata",
    message: `results in the WorkloadAutoscaler ${JSON.stringify(other.name)}, which would overwrite the one of a ${other.source.kind}`,
    remedy: "set the namespaces of both, or use another name",
  };
}
