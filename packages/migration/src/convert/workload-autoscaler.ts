// The WorkloadAutoscaler that a converter writes.
import { type Fields, fieldsOf } from "@plimsoll/core/internal/values";
import { Document, isMap, isNode } from "yaml";
import type { SourceObject } from "../manifests/source.ts";

export const wlaApiVersion = "autoscaling.plimsoll.dev/v1alpha1";
export const wlaKind = "WorkloadAutoscaler";

/** A new object, under the comment that the source has at its top. */
export function workloadAutoscaler(source: SourceObject, metadata: Fields, spec: object): Document {
  const document = new Document(
    { apiVersion: wlaApiVersion, kind: wlaKind, metadata, spec },
    { version: "1.1", aliasDuplicateObjects: false },
  );
  document.commentBefore = headComment(source);
  return document;
}

/** Name, namespace and labels of an object, as far as they are there. */
export function plainMetadata({ value }: SourceObject): Fields {
  const { name, namespace, labels } = fieldsOf(value["metadata"]);
  return {
    name,
    ...(typeof namespace !== "string" || namespace === "" ? {} : { namespace }),
    ...(labels === undefined ? {} : { labels }),
  };
}

/** A comment right above an object belongs to the object's first key. */
function headComment({ document, node }: SourceObject): string | null {
  const [first] = isMap(node) ? node.items : [];
  const ofKey = isNode(first?.key) ? first.key.commentBefore : undefined;
  return document.commentBefore ?? node.commentBefore ?? ofKey ?? null;
}
