// Creates and updates CustomResourceDefinitions.
import { type FieldProblem, invalid, required } from "../errors/field-problem.ts";
import type { ApiObject } from "../storage/api-object.ts";
import { ensureRecord, recordAt, recordsAt, setDefault, stringAt } from "../storage/json-value.ts";
import { timestamp } from "../storage/object-store.ts";
import { plainStrategy, type Strategy } from "./definition.ts";

/** Definitions are accepted and established at once: there is nothing to wait for here. */
export const crdStrategy: Strategy = {
  ...plainStrategy,
  setDefaults(object) {
    const spec = ensureRecord(object, "spec");
    const names = ensureRecord(spec, "names");
    const kind = stringAt(names, "kind") ?? "";
    setDefault(names, "singular", kind.toLowerCase());
    setDefault(names, "listKind", `${kind}List`);
    setDefault(spec, "conversion", { strategy: "None" });
  },
  prepareForCreate(object, { nowMs }) {
    const since = timestamp(nowMs);
    const condition = (type: string, reason: string, message: string): object => ({
      type,
      status: "True",
      lastTransitionTime: since,
      reason,
      message,
    });
    const stored = recordsAt(object, "spec", "versions").find((version) => version["storage"] === true);
    object.status = {
      conditions: [
        condition("NamesAccepted", "NoConflicts", "no conflicts found"),
        condition("Established", "InitialNamesAccepted", "the initial names have been accepted"),
      ],
      acceptedNames: recordAt(object, "spec", "names") ?? {},
      storedVersions: stored === undefined ? [] : [stored["name"]],
    };
  },
  prepareForUpdate(object) {
    const status = ensureRecord(object, "status");
    status["acceptedNames"] = recordAt(object, "spec", "names") ?? {};
  },
  validate: validateDefinition,
};

function validateDefinition(object: ApiObject): readonly FieldProblem[] {
  const problems: FieldProblem[] = [];
  const group = stringAt(object, "spec", "group") ?? "";
  const plural = stringAt(object, "spec", "names", "plural") ?? "";
  const scope = stringAt(object, "spec", "scope") ?? "";
  const versions = recordsAt(object, "spec", "versions");
  if (group === "") problems.push(required("spec.group"));
  if (plural === "") problems.push(required("spec.names.plural"));
  if (stringAt(object, "spec", "names", "kind") === undefined) problems.push(required("spec.names.kind"));
  if (object.metadata.name !== `${plural}.${group}`) {
    problems.push(invalid("metadata.name", object.metadata.name, 'must be spec.names.plural+"."+spec.group'));
  }
  if (scope !== "Namespaced" && scope !== "Cluster") problems.push(required("spec.scope"));
  if (versions.filter((version) => version["storage"] === true).length !== 1) {
    problems.push(
      invalid("spec.versions", versions, "must have exactly one version marked as storage version"),
    );
  }
  for (const [index, version] of versions.entries()) {
    if (recordAt(version, "schema", "openAPIV3Schema") !== undefined) continue;
    problems.push(required(`spec.versions[${index}].schema.openAPIV3Schema`, "schemas are required"));
  }
  return problems;
}
