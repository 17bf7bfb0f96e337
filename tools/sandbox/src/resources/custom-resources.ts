import { customSchema } from "../patch/merge-schema.ts";
import { isRecord, type JsonRecord, recordAt, recordsAt, stringAt, valueAt } from "../storage/json-value.ts";
import type { StoredObject } from "../storage/stored-object.ts";
import type { PrinterColumn } from "../tables/index.ts";
import { applySchemaDefaults, pruneAndCheck } from "./custom-schema.ts";
import { type Conversion, plainStrategy, type ResourceDefinition, standardVerbs } from "./definition.ts";
import type { ScalePaths } from "./scale-object.ts";

/** The served versions of a CustomResourceDefinition, newest priority first. */
export function customResourcesOf(definition: StoredObject): readonly ResourceDefinition[] {
  const spec = recordAt(definition, "spec");
  const names = recordAt(spec, "names");
  const group = stringAt(spec, "group") ?? "";
  const resource = stringAt(names, "plural") ?? "";
  const kind = stringAt(names, "kind") ?? "";
  const versions = recordsAt(spec, "versions");
  const storageVersion =
    stringAt(
      versions.find((version) => version["storage"] === true),
      "name",
    ) ?? "";
  return versions
    .filter((version) => version["served"] === true)
    .sort((a, b) => compareVersions(String(a["name"]), String(b["name"])))
    .map((version) => {
      const schema = valueAt(version, "schema", "openAPIV3Schema");
      const hasStatus = isRecord(valueAt(version, "subresources", "status"));
      return {
        group,
        version: String(version["name"]),
        resource,
        kind,
        singular: stringAt(names, "singular") ?? kind.toLowerCase(),
        namespaced: spec?.["scope"] === "Namespaced",
        shortNames: texts(names?.["shortNames"]),
        categories: texts(names?.["categories"]),
        verbs: standardVerbs,
        storage: `${resource}.${group}`,
        hasStatus,
        scale: scalePaths(recordAt(version, "subresources", "scale")),
        extras: [],
        schema: customSchema(schema),
        strategicMerge: false,
        strategy: {
          ...plainStrategy,
          setDefaults: (object) => applySchemaDefaults(object, schema),
          prepareForCreate: (object) => {
            if (hasStatus) delete object.status;
          },
          validate: (object) => pruneAndCheck(object, schema),
        },
        conversion: renameVersion(group, String(version["name"]), storageVersion),
        custom: { columns: printerColumns(version), openApiSchema: schema },
      };
    });
}

function scalePaths(scale: JsonRecord | undefined): ScalePaths | undefined {
  if (scale === undefined) return undefined;
  const path = (key: string): string[] =>
    (stringAt(scale, key) ?? "").split(".").filter((step) => step !== "");
  const selector = path("labelSelectorPath");
  return {
    specReplicas: path("specReplicasPath"),
    statusReplicas: path("statusReplicasPath"),
    selector: selector.length === 0 ? undefined : { kind: "text", path: selector },
  };
}

// Conversion strategy None: only apiVersion differs between versions.
function renameVersion(group: string, served: string, stored: string): Conversion {
  return {
    toStored: (object) => Object.assign(object, { apiVersion: `${group}/${stored}` }),
    fromStored: (object) => (served === stored ? object : { ...object, apiVersion: `${group}/${served}` }),
  };
}

function printerColumns(version: JsonRecord): readonly PrinterColumn[] {
  return recordsAt(version, "additionalPrinterColumns") as unknown as readonly PrinterColumn[];
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

/** v2 before v1 before v1beta1 before v1alpha1; anything else after, by name. */
export function compareVersions(a: string, b: string): number {
  const [rankA, rankB] = [rank(a), rank(b)];
  for (const [index, value] of rankA.entries()) {
    const difference = (rankB[index] ?? 0) - value;
    if (difference !== 0) return difference;
  }
  return a < b ? -1 : a > b ? 1 : 0;
}

function rank(version: string): readonly number[] {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (match === null) return [0, 0, 0];
  const stage = match[2] === undefined ? 3 : match[2] === "beta" ? 2 : 1;
  return [stage, Number(match[1]), Number(match[3] ?? 0)];
}
