import {
  dnsLabelProblems,
  labelKeyProblems,
  labelValueProblems,
  subdomainProblems,
} from "../../selector/label-syntax.ts";
import { textOf } from "../../spec/text.ts";
import { type Fields, field, fieldsOf, invalid, listOf, type Problem, required } from "./problem.ts";

const annotationLimit = 256 * 1024;

/** @upstream apimachinery/pkg/api/validation/objectmeta.go#ValidateObjectMeta */
export function validateMetadata(metadata: Fields): readonly Problem[] {
  const path = "metadata";
  const generateName = textOf(field(metadata, "generateName"));
  const name = textOf(field(metadata, "name"));
  const namespace = textOf(field(metadata, "namespace"));
  const all = (child: string, value: string, problems: readonly string[]) =>
    problems.map((problem) => invalid(`${path}.${child}`, value, problem));
  return [
    ...(generateName === ""
      ? []
      : all("generateName", generateName, subdomainProblems(maskDash(generateName)))),
    ...(name === ""
      ? [required(`${path}.name`, "name or generateName is required")]
      : all("name", name, subdomainProblems(name))),
    ...(namespace === ""
      ? [required(`${path}.namespace`)]
      : all("namespace", namespace, dnsLabelProblems(namespace))),
    ...validateGeneration(field(metadata, "generation")),
    ...validateLabels(fieldsOf(field(metadata, "labels"))),
    ...validateAnnotations(fieldsOf(field(metadata, "annotations"))),
    ...validateFinalizers(listOf(field(metadata, "finalizers"))),
  ];
}

/** Something will be put after a generated name's dash. */
function maskDash(name: string): string {
  return name.length > 1 && name.endsWith("-") ? `${name.slice(0, -2)}a` : name;
}

function validateGeneration(generation: unknown): readonly Problem[] {
  const isNegative = typeof generation === "number" && generation < 0;
  return isNegative ? [invalid("metadata.generation", generation, "must be greater than or equal to 0")] : [];
}

function validateLabels(labels: Fields): readonly Problem[] {
  return Object.entries(labels).flatMap(([key, value]) => [
    ...labelKeyProblems(key).map((problem) => invalid("metadata.labels", key, problem)),
    ...labelValueProblems(textOf(value)).map((problem) => invalid("metadata.labels", value, problem)),
  ]);
}

function validateAnnotations(annotations: Fields): readonly Problem[] {
  const problems = Object.keys(annotations).flatMap((key) =>
    labelKeyProblems(key.toLowerCase()).map((problem) => invalid("metadata.annotations", key, problem)),
  );
  const size = Object.entries(annotations).reduce(
    (sum, [key, value]) => sum + key.length + textOf(value).length,
    0,
  );
  if (size <= annotationLimit) return problems;
  const tooLong = {
    path: "metadata.annotations",
    type: "TooLong",
    message: `may not be more than ${annotationLimit} bytes`,
  } as const;
  return [...problems, tooLong];
}

function validateFinalizers(finalizers: readonly unknown[]): readonly Problem[] {
  const problems = finalizers.flatMap((finalizer) =>
    labelKeyProblems(textOf(finalizer)).map((problem) => invalid("metadata.finalizers", finalizer, problem)),
  );
  const areBothSet = finalizers.includes("orphan") && finalizers.includes("foregroundDeletion");
  const both = invalid(
    "metadata.finalizers",
    finalizers,
    "finalizer foregroundDeletion and orphan cannot be both set",
  );
  return areBothSet ? [...problems, both] : problems;
}
