// Writes the JSON Schema of decision records from the types of @plimsoll/core; with --check it reports whether it is old.
import { join, resolve } from "node:path";
import { createGenerator } from "ts-json-schema-generator";
import { generate } from "./source/generated.ts";

const core = resolve(import.meta.dirname, "..", "packages", "core");
const { definitions = {}, ...schema } = createGenerator({
  path: join(core, "src", "record", "record.ts"),
  tsconfig: join(core, "tsconfig.json"),
  type: "DecisionRecord",
  // Objects of a cluster have more fields than a decision reads.
  additionalProperties: true,
  // A Date-like object is encoded as data; see encodeRecord.
  functions: "hide",
  // The sources are checked elsewhere, by the compiler that they are written for.
  skipTypeCheck: true,
}).createSchema("DecisionRecord");

const encodedDate = {
  type: "object",
  properties: { $type: { const: "date" }, value: { type: "string" } },
  required: ["$type", "value"],
} as const;
const written = {
  ...schema,
  title: "DecisionRecord",
  definitions: {
    ...definitions,
    Timestamp: { description: "RFC 3339, or an encoded date.", anyOf: [{ type: "string" }, encodedDate] },
  },
};

generate(
  { "packages/core/schema/decision-record.v1.json": `${JSON.stringify(written, null, 2)}\n` },
  "the type of decision records",
);
