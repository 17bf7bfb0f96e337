// Converts a HorizontalPodAutoscaler of any version into a WorkloadAutoscaler.

import type { HorizontalPodAutoscaler } from "@plimsoll/core";
import { ConversionError, convertHpa, defaultHpa, type Problem, validateHpa } from "@plimsoll/core/api";
import { Document, isMap, visit, type YAMLMap } from "yaml";
import type { Conversion, Converter, ConvertSettings } from "../converter.ts";
import { type Finding, type Json, jsonOf, type SourceObject } from "../source.ts";
import { wlaApiVersion, wlaKind } from "../workload-autoscaler.ts";
import { adaptToOurs } from "../zalando/adapt.ts";
import { keptMetadata } from "./metadata.ts";
import { targetFindings } from "./targets.ts";
import { unknownFields } from "./unknown-fields.ts";
import { wireReady } from "./wire-ready.ts";

/** Versions whose specification has the shape of a WorkloadAutoscaler's. */
const sameShape: readonly string[] = ["autoscaling/v2", "autoscaling/v2beta2"];

export const hpaConverter: Converter = {
  group: "autoscaling",
  kind: "HorizontalPodAutoscaler",
  convert,
};

function convert(
  source: SourceObject,
  context: { readonly settings: ConvertSettings; readonly all: readonly SourceObject[] },
): Conversion {
  const owner = kedaOwner(source);
  if (owner !== undefined) return { ok: true, documents: [], notes: [ownedNote(owner)] };
  const converted = asV2(source);
  if ("problem" in converted) return { ok: false, problems: [converted.problem] };
  const { hpa } = converted;
  const problems = [
    ...unknownFields(source),
    ...nameless(hpa),
    ...validateHpa(defaulted(hpa)).map(refused),
    ...targetFindings(hpa),
  ];
  if (problems.length > 0) return { ok: false, problems };
  const { metadata, notes } = keptMetadata(source.value["metadata"] as Json);
  const document =
    sameShape.includes(source.apiVersion) && !hasAliases(source)
      ? inPlace(source, metadata)
      : rewritten(source, { metadata, spec: hpa["spec"] as Json });
  const { findings, rules } = adaptToOurs(source, document, context);
  if (findings.problems.length > 0) return { ok: false, problems: findings.problems };
  const { mode } = context.settings;
  if (mode !== undefined) document.setIn(["spec", "mode"], mode);
  wireReady(document);
  return { ok: true, documents: [document], notes: [...notes, ...findings.notes], rules };
}

/** The ScaledObject that an HPA was made for. */
function kedaOwner({ value }: SourceObject): string | undefined {
  const owners = jsonOf(value["metadata"])["ownerReferences"];
  const references = Array.isArray(owners) ? (owners as readonly unknown[]).map(jsonOf) : [];
  const name = references.find(({ kind, apiVersion }) => kind === "ScaledObject" && isOfKeda(apiVersion))?.[
    "name"
  ];
  return typeof name === "string" ? name : undefined;
}

function isOfKeda(apiVersion: unknown): boolean {
  return typeof apiVersion === "string" && apiVersion.startsWith("keda.sh/");
}

function ownedNote(owner: string): Finding {
  const message = `is left out: KEDA made it for the ScaledObject ${JSON.stringify(owner)}, and deletes it with that`;
  return { path: "metadata.ownerReferences", message, remedy: "convert the ScaledObject" };
}

/** With what the API server fills in before it validates. */
function defaulted(hpa: Json): HorizontalPodAutoscaler {
  const metadata = { namespace: "default", name: "generated", ...(hpa["metadata"] as object) };
  return defaultHpa({ ...hpa, metadata } as HorizontalPodAutoscaler);
}

function asV2(source: SourceObject): { readonly hpa: Json } | { readonly problem: Finding } {
  try {
    return { hpa: convertHpa(source.value, "autoscaling/v2") };
  } catch (error) {
    if (!(error instanceof ConversionError)) throw error;
    const { path } = error;
    const value = valueAt(source.value, path);
    const isVersion = path === "apiVersion";
    return {
      problem: {
        path,
        ...(value === undefined ? {} : { value }),
        message: error.message.replace(`${path}: `, ""),
        remedy: isVersion
          ? "use autoscaling/v1, v2beta1, v2beta2 or v2"
          : `give it the type that ${source.apiVersion} has for it`,
      },
    };
  }
}

function nameless({ metadata }: { readonly metadata?: unknown }): readonly Finding[] {
  const { name, generateName } = (metadata ?? {}) as Json;
  if (typeof name === "string" || typeof generateName === "string") return [];
  return [{ path: "metadata.name", message: "is missing", remedy: "give the object a name" }];
}

function refused({ path, type, value, message }: Problem): Finding {
  return {
    path,
    ...(value === undefined ? {} : { value }),
    message: message === "" ? "is required" : message,
    remedy:
      type === "Required"
        ? "set it"
        : "correct it; as it is the API server takes no HorizontalPodAutoscaler either",
  };
}

function hasAliases({ node }: SourceObject): boolean {
  let found = false;
  visit(node, {
    Alias() {
      found = true;
      return visit.BREAK;
    },
    Pair(_, { key }) {
      if (String(key) !== "<<") return undefined;
      found = true;
      return visit.BREAK;
    },
  });
  return found;
}

/** The object as it was written, comments and all, with what differs changed. */
function inPlace(source: SourceObject, metadata: Json): Document {
  const document = new Document(undefined, { version: "1.1" });
  document.commentBefore = source.document.commentBefore;
  document.comment = source.document.comment;
  document.contents = source.node.clone() as typeof document.contents;
  document.set("apiVersion", wlaApiVersion);
  document.set("kind", wlaKind);
  document.delete("status");
  const kept = document.get("metadata");
  if (isMap(kept)) prune(kept, metadata);
  return document;
}

function prune(node: YAMLMap, kept: Json): void {
  for (const name of Object.keys(node.toJSON() as Json)) {
    const inner = kept[name];
    if (inner === undefined) node.delete(name);
    else {
      const value = node.get(name);
      if (isMap(value) && typeof inner === "object" && inner !== null) prune(value, inner as Json);
    }
  }
}

/** Versions of another shape are written from their data; of the comments, the one at the top stays. */
function rewritten(
  source: SourceObject,
  content: { readonly metadata: Json; readonly spec: Json },
): Document {
  const document = new Document(
    { apiVersion: wlaApiVersion, kind: wlaKind, ...content },
    { version: "1.1", aliasDuplicateObjects: false },
  );
  document.commentBefore = source.document.commentBefore ?? source.node.commentBefore ?? null;
  return document;
}

function valueAt(value: unknown, path: string): unknown {
  let found = value;
  for (const key of path.split(/[.[\]]+/).filter((part) => part !== "")) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, key)) return undefined;
    found = (found as Json)[key];
  }
  return found;
}
