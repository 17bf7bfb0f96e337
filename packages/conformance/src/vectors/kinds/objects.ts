// Vectors of defaulting and conversion.
import type { HorizontalPodAutoscaler } from "@plimsoll/core";
import { convertHpa, defaultHpa } from "@plimsoll/core/api";
import { compareJson } from "../compare.ts";
import { isObject, type Json, optionalText, questionOf, VectorError } from "../read.ts";
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

function question(vector: Json): Json {
  return questionOf(vector, ["from", "to"], ["name", "expect"]);
}

function read(asked: Json): { readonly from: Json; readonly to: string | undefined } {
  const from = asked["from"];
  if (!isObject(from)) throw new VectorError("from", "is no object");
  return { from, to: optionalText(asked, "to", "") };
}

function compare(vector: Json, given: Json) {
  return compareJson("expect", vector["expect"], given["object"], "whole");
}
