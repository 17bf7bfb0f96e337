// Checks the manifest of an HPA as the API server does when it is applied.
import { fieldsOf, type Remark, textOf } from "../../../values/fields.ts";
import type { HorizontalPodAutoscaler } from "../../hpa.ts";
import { annotationNames } from "../convert/annotations.ts";
import { convertHpa, versions } from "../convert/convert.ts";
import { ConversionError } from "../convert/schema.ts";
import { everyObject } from "../convert/shapes.ts";
import { defaultHpa } from "../default.ts";
import type { Problem } from "../validate/problem.ts";
import { type ValidateOptions, validateHpa } from "../validate/validate.ts";
import { type FieldProblem, fieldProblems } from "./fields.ts";

const newest = "autoscaling/v2";

/**
 * All reasons why `kubectl apply` would fail for the manifest of an HPA, of any version that ever was: its version is
 * not served, it has unknown fields or values of another type, or validation refuses it. Empty when it would not.
 * Takes any data. A namespace is filled in, as kubectl does.
 */
export function checkHpa(
  manifest: unknown,
  { scaleToZero }: Pick<ValidateOptions, "scaleToZero"> = {},
): readonly Remark[] {
  const object = fieldsOf(manifest);
  const apiVersion = textOf(object["apiVersion"]);
  const version = versions.get(apiVersion);
  if (version === undefined) {
    const value = object["apiVersion"];
    const message = "is not a version of HorizontalPodAutoscaler";
    return [{ path: "apiVersion", value, message, remedy: `use ${newest}` }];
  }
  const { kind } = object;
  if (kind !== "HorizontalPodAutoscaler") {
    const message = "must be HorizontalPodAutoscaler";
    return [{ path: "kind", ...(kind === undefined ? {} : { value: kind }), message, remedy: "correct it" }];
  }
  const fields = fieldProblems(object, { ...everyObject, ...version.shape }, apiVersion);
  return [
    ...unserved(apiVersion),
    ...fields.map(({ kind: _kind, meant: _meant, ...problem }) => problem),
    ...(fields.some((field) => field.kind === "type") ? [] : refusals(object, fields, scaleToZero)),
  ];
}

/** Why no supported release serves the version; empty when one does, or when it is not a version. */
export function unserved(apiVersion: string): readonly Remark[] {
  const goneIn = versions.get(apiVersion)?.goneIn;
  if (goneIn === undefined) return [];
  const message = `is not served since Kubernetes ${goneIn}`;
  return [{ path: "apiVersion", value: apiVersion, message, remedy: `use ${newest}` }];
}

function refusals(
  object: object,
  fields: readonly FieldProblem[],
  scaleToZero: boolean | undefined,
): readonly Remark[] {
  const { metadata, apiVersion } = object as { readonly metadata?: unknown; readonly apiVersion?: unknown };
  const { name, generateName, namespace } = fieldsOf(metadata);
  // The server makes a name from generateName, and kubectl adds the namespace.
  const named = {
    ...fieldsOf(metadata),
    name: (textOf(name) === "" && textOf(generateName) !== "" ? "generated" : name) ?? "",
    namespace: textOf(namespace) || "default",
  };
  try {
    // The defaults of its own version: before v2beta2 behavior gets none.
    const hpa = defaultHpa({ ...object, metadata: named } as HorizontalPodAutoscaler);
    return (
      validateHpa(convertHpa(hpa, newest), { scaleToZero })
        .filter((problem) => !isExplained(problem, fields))
        // The API server says some twice.
        .filter(
          ({ path, message }, at, all) =>
            all.findIndex((one) => one.path === path && one.message === message) === at,
        )
        .map((problem) => refusal(problem, apiVersion === "autoscaling/v1"))
    );
  } catch (error) {
    if (!(error instanceof ConversionError)) throw error;
    const { path, message } = error;
    return [{ path, message: message.replace(`${path}: `, ""), remedy: "correct it" }];
  }
}

/** What is missing only because it is written with another name, or elsewhere. */
function isExplained({ path, type, value }: Problem, fields: readonly FieldProblem[]): boolean {
  if (type !== "Required" && value !== "") return false;
  return fields.some(({ path: written, meant = "" }) => {
    const isNested = meant.startsWith(`${parentOf(written)}.`) && parentOf(meant) !== parentOf(written);
    return path === meant || (isNested && parentOf(path) === parentOf(meant));
  });
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf(".")));
}

function refusal({ path, type, value, message }: Problem, isV1: boolean): Remark {
  return {
    path: isV1 ? placeInV1(path) : path,
    ...(value === undefined ? {} : { value }),
    message: message === "" || (path === "metadata.name" && type === "Required") ? "is required" : message,
    remedy: type === "Required" ? "set it" : "correct it",
  };
}

function placeInV1(path: string): string {
  if (path.startsWith("spec.metrics")) return "spec.targetCPUUtilizationPercentage";
  return path.replace("spec.behavior", `metadata.annotations["${annotationNames.behavior}"]`);
}
