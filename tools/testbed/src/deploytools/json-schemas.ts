// Writes JSON schemas for kubeconform.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { KubeClient } from "@plimsoll/kube";

interface Schema {
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly additionalProperties?: unknown;
  readonly "x-kubernetes-group-version-kind"?: readonly { group: string; version: string; kind: string }[];
}

/**
 * Writes what an API server says of its kinds as the files that kubeconform looks for, strict: fields that are not in
 * them are mistakes.
 * @returns the pattern to give as --schema-location
 */
export async function writeJsonSchemas(client: KubeClient, folder: string): Promise<string> {
  const { definitions } = await client.request<{ definitions: Readonly<Record<string, Schema>> }>({
    path: "/openapi/v2",
    accept: "application/json",
  });
  mkdirSync(folder, { recursive: true });
  const strict = Object.fromEntries(
    Object.entries(definitions).map(([name, schema]) => [name, strictly(name, schema)]),
  );
  writeFileSync(join(folder, "definitions.json"), JSON.stringify({ definitions: strict }));
  for (const [name, schema] of Object.entries(definitions)) {
    const kinds = schema["x-kubernetes-group-version-kind"] ?? [];
    // Kinds of many groups, such as DeleteOptions, are never in a manifest.
    if (kinds.length !== 1) continue;
    for (const { group, version, kind } of kinds) {
      const file = [kind, group.split(".")[0], version].filter(Boolean).join("-").toLowerCase();
      writeFileSync(
        join(folder, `${file}.json`),
        JSON.stringify({ definitions: strict, $ref: `#/definitions/${name}` }),
      );
    }
  }
  return join(folder, "{{.ResourceKind}}{{.KindSuffix}}.json");
}

const looseNames = /\.(?:IntOrString|Quantity|JSON|JSONSchemaProps\w*|RawExtension|FieldsV1)$/;

function strictly(name: string, schema: Schema): object {
  if (name.endsWith(".IntOrString")) return { anyOf: [{ type: "integer" }, { type: "string" }] };
  if (name.endsWith(".Quantity")) return { anyOf: [{ type: "number" }, { type: "string" }] };
  if (looseNames.test(name)) return {};
  return schema.properties === undefined || schema.additionalProperties !== undefined
    ? schema
    : { ...schema, additionalProperties: false };
}
