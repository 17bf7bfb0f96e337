// Validates metadata.
import { type Fields, listOf, membersOf, textOf } from "../../../values/fields.ts";
import {
  dnsLabelProblems,
  labelKeyProblems,
  labelValueProblems,
  subdomainProblems,
} from "../../../values/selector/label-syntax.ts";
import { field, found, invalid, type Problem, required } from "./problem.ts";

const annotationLimit = 256 * 1024;

/** @upstream apimachinery/pkg/api/validation/objectmeta.go#ValidateObjectMeta */
export function validateMetadata(metadata: Fields): readonly Problem[] {
  const path = "metadata";
  const generateName = textOf(field(metadata, "generateName"));
  const name = textOf(field(metadata, "name"));
  const namespace = textOf(field(metadata, "namespace"));
  const all = (child: string, value: string, problems: readonly string[]) =>
    problems.map((problem) => invalid(`${path}.${child}`, value, problem));
  return found([
    generateName !== "" && all("generateName", generateName, subdomainProblems(maskDash(generateName))),
    name === ""
      ? required(`${path}.name`, "name or generateName is required")
      : all("name", name, subdomainProblems(name)),
    namespace === ""
      ? required(`${path}.namespace`)
      : all("namespace", namespace, dnsLabelProblems(namespace)),
    validateGeneration(field(metadata, "generation")),
    validateLabels(field(metadata, "labels")),
    validateAnnotations(field(metadata, "annotations")),
    validateFinalizers(listOf(field(metadata, "finalizers"))),
  ]);
}

/** Something will be put after a generated name's dash. */
function maskDash(name: string): string {
  return name.length > 1 && name.endsWith("-") ? `${name.slice(0, -2)}a` : name;
}

function validateGeneration(generation: unknown): readonly Problem[] {
  const isNegative = typeof generation === "number" && generation < 0;
  return isNegative ? [invalid("metadata.generation", generation, "must be greater than or equal to 0")] : [];
}

function validateLabels(labels: unknown): readonly Problem[] {
  return membersOf(labels).flatMap(([key, value]) => [
    ...labelKeyProblems(key).map((problem) => invalid("metadata.labels", key, problem)),
    ...labelValueProblems(textOf(value)).map((problem) => invalid("metadata.labels", value, problem)),
  ]);
}

function validateAnnotations(annotations: unknown): readonly Problem[] {
  const problems = membersOf(annotations).flatMap(([key]) =>
    labelKeyProblems(key.toLowerCase()).map((problem) => invalid("metadata.annotations", key, problem)),
  );
  const sizes = membersOf(annotations).map(([key, value]) => key.length + textOf(value).length);
  if (sizes.reduce((sum, size) => sum + size, 0) <= annotationLimit) return problems;
  const message = `may not be more than ${annotationLimit} bytes`;
  return [...problems, { path: "metadata.annotations", type: "TooLong", message }];
}

function validateFinalizers(finalizers: readonly unknown[]): readonly Problem[] {
  const problems = finalizers.flatMap((finalizer) =>
    labelKeyProblems(textOf(finalizer)).map((problem) => invalid("metadata.finalizers", finalizer, problem)),
  );
  const areBothSet = finalizers.includes("orphan") && finalizers.includes("foregroundDeletion");
  const both = "finalizer foregroundDeletion and orphan cannot be both set";
  return areBothSet ? [...problems, invalid("metadata.finalizers", finalizers, both)] : problems;
}
