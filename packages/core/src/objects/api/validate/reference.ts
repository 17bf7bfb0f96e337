// Validates references to objects.
import { type Fields, textOf } from "../../../values/fields.ts";
import { field, found, invalid, type Problem, required } from "./problem.ts";

/** @upstream pkg/apis/autoscaling/validation/validation.go#ValidateCrossVersionObjectReference */
export function validateReference(
  reference: Fields,
  path: string,
  allows: { readonly emptyGroup: boolean; readonly anyApiVersion: boolean },
): readonly Problem[] {
  const apiVersion = textOf(field(reference, "apiVersion"));
  const versionProblem = allows.anyApiVersion ? undefined : apiVersionProblem(apiVersion, allows.emptyGroup);
  return found([
    validateSegment(field(reference, "kind"), `${path}.kind`),
    validateSegment(field(reference, "name"), `${path}.name`),
    versionProblem !== undefined && invalid(`${path}.apiVersion`, apiVersion, versionProblem),
  ]);
}

/** A name that becomes a part of a URL's path. */
export function validateSegment(value: unknown, path: string, missing = ""): readonly Problem[] {
  const text = textOf(value);
  if (text === "") return [required(path, missing)];
  return segmentProblems(text).map((problem) => invalid(path, text, problem));
}

/** @upstream apimachinery/pkg/api/validate/content/path.go#IsPathSegmentName */
function segmentProblems(text: string): readonly string[] {
  if (text === "." || text === "..") return [`may not be '${text}'`];
  return ["/", "%"].filter((part) => text.includes(part)).map((part) => `may not contain '${part}'`);
}

/** @upstream pkg/apis/autoscaling/validation/validation.go#ValidateAPIVersion */
function apiVersionProblem(apiVersion: string, allowsEmptyGroup: boolean): string | undefined {
  const parts = apiVersion.split("/");
  if (parts.length > 2) return `unexpected GroupVersion string: ${apiVersion}`;
  const group = parts.length === 2 ? parts[0] : "";
  return group === "" && !allowsEmptyGroup ? "apiVersion must specify API group" : undefined;
}
