// Vectors of defaulting and conversion.
import type { HorizontalPodAutoscaler } from "@plimsoll/core";
import { convertHpa, defaultHpa } from "@plimsoll/core/api";
import { type Fields, isFields } from "@plimsoll/core/internal/values";
import { compareJson } from "../compare.ts";
import { optionalText, questionOf, VectorError } from "../read.ts";
import type { VectorKind } from "./kind.ts";

/** Answer: `object`. */
export const defaultingKind: VectorKind = {
  question,
  answer: (asked) => {
    const { from, to } = read(asked);
    const defaulted = defaultHpa(from as unknown as HorizontalPodAutoscaler);
    return { object: to === undefined ? defaulted : convertHpa(defaulted, to) };
  },
  compare,
};

/** Answer: `object`. */
export const conversionKind: VectorKind = {
  question,
  answer: (asked) => {
    const { from, to } = read(asked);
    return { object: convertHpa(from, to ?? String(from["apiVersion"])) };
  },
  compare,
};

function question(vector: Fields): Fields {
  return questionOf(vector, ["from", "to"], ["name", "expect"]);
}

function read(asked: Fields): { readonly from: Fields; readonly to: string | undefined } {
  const from = asked["from"];
  if (!isFields(from)) throw new VectorError("from", "is not an object");
  return { from, to: optionalText(asked, "to", "") };
}

function compare(vector: Fields, given: Fields) {
  return compareJson("expect", vector["expect"], given["object"], "whole");
}
