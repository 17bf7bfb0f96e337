// Checks vectors of defaulting and conversion.
import type { HorizontalPodAutoscaler } from "@plimsoll/core";
import { convertHpa, defaultHpa } from "@plimsoll/core/api";
import { compareJson } from "../compare.ts";
import type { CaseDifference } from "../difference.ts";
import { isObject, type Json, optionalText, readObject, VectorError } from "../read.ts";

export function checkDefaulting(given: unknown): readonly CaseDifference[] {
  const { vector, from, to } = readVector(given);
  const defaulted = defaultHpa(from as unknown as HorizontalPodAutoscaler);
  const result = to === undefined ? defaulted : convertHpa(defaulted, to);
  return compareJson("expect", vector["expect"], result, "whole");
}

export function checkConversion(given: unknown): readonly CaseDifference[] {
  const { vector, from, to } = readVector(given);
  const result = convertHpa(from, to ?? String(from["apiVersion"]));
  return compareJson("expect", vector["expect"], result, "whole");
}

function readVector(given: unknown): { vector: Json; from: Json; to: string | undefined } {
  const vector = readObject(given, "", ["name", "from", "to", "expect"]);
  const from = vector["from"];
  if (!isObject(from)) throw new VectorError("from", "is no object");
  return { vector, from, to: optionalText(vector, "to", "") };
}
