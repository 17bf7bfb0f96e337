// The JSON Schema of decision records, from the types of @plimsoll/core.
import { schemasOf } from "./json-schema.ts";

const encodedDate = {
  type: "object",
  properties: { $type: { const: "date" }, value: { type: "string" } },
  required: ["$type", "value"],
} as const;

export function recordSchema() {
  const [record] = schemasOf("packages/core", { record: ["DecisionRecord", "reasons/record/record.ts"] });
  const { definitions, ...schema } = record?.schema ?? {};
  const written = {
    ...schema,
    title: record?.title,
    definitions: {
      ...definitions,
      Timestamp: { description: "RFC 3339, or an encoded date.", anyOf: [{ type: "string" }, encodedDate] },
    },
  };
  return { "packages/core/schema/decision-record.v1.json": `${JSON.stringify(written, null, 2)}\n` };
}
