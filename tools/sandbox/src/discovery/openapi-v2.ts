// The OpenAPI v2 document that older kubectl reads.
import type { ResourceDefinition } from "../resources/definition.ts";

export const openApiV2MediaType = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

/**
 * /openapi/v2 in the one form and with the one fact that older kubectl needs: that PATCH of a kind takes
 * fieldValidation and dryRun. Field numbers are those of gnostic's openapiv2 Document.
 */
export function openApiV2Document(definitions: readonly ResourceDefinition[]): Buffer {
  const info: readonly OutgoingField[] = [
    [1, "Plimsoll sandbox"],
    [2, "v1"],
  ];
  const paths = definitions.map(
    (definition): OutgoingField => [
      2,
      [
        [1, pathOf(definition)],
        [2, [[8, patchOf(definition)]]],
      ],
    ],
  );
  return writeFields([
    [1, "2.0"],
    [2, info],
    [8, paths],
  ]);
}

function pathOf({ group, version, namespaced, resource }: ResourceDefinition): string {
  const prefix = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  return `${prefix}${namespaced ? "/namespaces/{namespace}" : ""}/${resource}/{name}`;
}

function patchOf({ group, version, kind }: ResourceDefinition): readonly OutgoingField[] {
  const yaml = JSON.stringify({ group, version, kind });
  return [
    ...["dryRun", "fieldManager", "fieldValidation", "force"].map(queryParameter),
    [9, []],
    [
      13,
      [
        [1, "x-kubernetes-group-version-kind"],
        [2, [[2, yaml]]],
      ],
    ],
  ];
}

function queryParameter(name: string): OutgoingField {
  const parameter: readonly OutgoingField[] = [
    [2, "query"],
    [4, name],
    [6, "string"],
  ];
  return [8, [[1, [[2, [[3, parameter]]]]]]];
}

/** A field to write: its number, and a string, a boolean, bytes or a message. */
type OutgoingField = readonly [number: number, value: string | boolean | Buffer | readonly OutgoingField[]];

/** The bytes of a protobuf message. */
function writeFields(fields: readonly OutgoingField[]): Buffer {
  return Buffer.concat(
    fields.flatMap(([number, value]) => {
      if (typeof value === "boolean") return [varint(number << 3), varint(value ? 1 : 0)];
      const bytes =
        typeof value === "string" ? Buffer.from(value) : Buffer.isBuffer(value) ? value : writeFields(value);
      return [varint((number << 3) | 2), varint(bytes.length), bytes];
    }),
  );
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest & 127) | 128);
  return Buffer.from([...bytes, rest]);
}
