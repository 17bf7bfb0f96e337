// Converts a HorizontalPodAutoscaler of any version into a WorkloadAutoscaler.
import { convertHpa } from "@plimsoll/core/api";
import { checkHpa, unserved } from "@plimsoll/core/internal/objects";
import type { Fields, Remark } from "@plimsoll/core/internal/values";
import { Document, isMap, isScalar, isSeq, Scalar, visit, type YAMLMap } from "yaml";
import type { SourceObject } from "../../manifests/source.ts";
import type { Conversion, Converter, ConvertSettings } from "../converter.ts";
import { wlaApiVersion, wlaKind } from "../workload-autoscaler.ts";
import { adaptToOurs } from "../zalando/adapt.ts";
import { addCronSchedules } from "./cron-schedules.ts";
import { kedaOwner } from "./keda-owner.ts";
import { keptMetadata } from "./metadata.ts";
import { settleTargets } from "./targets.ts";

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
  // An old version is what many want to leave behind.
  const outdated = unserved(source.apiVersion);
  const refused = checkHpa(source.value).slice(outdated.length);
  if (refused.length > 0) return { ok: false, problems: refused };
  const { metadata, notes } = keptMetadata(source.value["metadata"] as Fields);
  const document =
    sameShape.includes(source.apiVersion) && !hasAliases(source)
      ? inPlace(source, metadata)
      : rewritten(source, { metadata, spec: convertHpa(source.value, "autoscaling/v2")["spec"] as Fields });
  const { findings, rules } = adaptToOurs(source, document, context);
  settleTargets(document, findings);
  addCronSchedules(source, document, context, findings);
  if (findings.problems.length > 0) return { ok: false, problems: findings.problems };
  const { mode } = context.settings;
  if (mode !== undefined) document.setIn(["spec", "mode"], mode);
  wireReady(document);
  return { ok: true, documents: [document], notes: [...outdated, ...notes, ...findings.notes], rules };
}

function ownedNote(owner: string): Remark {
  const message = `is left out: KEDA created it for the ScaledObject ${JSON.stringify(owner)} and deletes it with it`;
  return { path: "metadata.ownerReferences", message, remedy: "convert the ScaledObject" };
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
function inPlace(source: SourceObject, metadata: Fields): Document {
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

function prune(node: YAMLMap, kept: Fields): void {
  for (const name of Object.keys(node.toJSON() as Fields)) {
    const inner = kept[name];
    if (inner === undefined) node.delete(name);
    else {
      const value = node.get(name);
      if (isMap(value) && typeof inner === "object" && inner !== null) prune(value, inner as Fields);
    }
  }
}

/** Versions of another shape are written from their data; of the comments, the one at the top stays. */
function rewritten(
  source: SourceObject,
  content: { readonly metadata: Fields; readonly spec: Fields },
): Document {
  const document = new Document(
    { apiVersion: wlaApiVersion, kind: wlaKind, ...content },
    { version: "1.1", aliasDuplicateObjects: false },
  );
  document.commentBefore = source.document.commentBefore ?? source.node.commentBefore ?? null;
  return document;
}

const quantityFields: ReadonlySet<string> = new Set(["value", "averageValue", "tolerance"]);

/**
 * What the API of HPAs takes and a schema does not: null for absent becomes absent, and a quantity that was written
 * as a fraction becomes text.
 */
function wireReady(document: Document): void {
  visit(document, {
    Pair(_, pair) {
      const { key, value } = pair;
      const isNull = value === null || (isScalar(value) && value.value === null);
      const isEmpty = (isMap(value) || isSeq(value)) && value.items.length === 0;
      if (isNull || (isEmpty && String(key) === "metrics")) return visit.REMOVE;
      if (!isScalar(value) || typeof value.value !== "number" || Number.isInteger(value.value))
        return undefined;
      if (!quantityFields.has(String(key))) return undefined;
      const text = new Scalar(value.source ?? String(value.value));
      text.type = "QUOTE_DOUBLE";
      text.comment = value.comment ?? null;
      pair.value = text;
      return undefined;
    },
  });
}
