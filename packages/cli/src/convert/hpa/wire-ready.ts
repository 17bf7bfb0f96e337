// Rewrites an HPA so that it passes the schema of the CRD.
import { type Document, isMap, isScalar, isSeq, Scalar, visit } from "yaml";

const quantityFields: ReadonlySet<string> = new Set(["value", "averageValue", "tolerance"]);

/**
 * What the API of HPAs takes and a schema does not: null for absent becomes absent, and a quantity that was written
 * as a fraction becomes text.
 */
export function wireReady(document: Document): void {
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
