// Writes the JSON Schema of decision records from the types of @plimsoll/core; with --check it reports whether it is old.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { createGenerator } from "ts-json-schema-generator";

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

const file = join(core, "schema", "decision-record.v1.json");
const text = `${JSON.stringify(written, null, 2)}\n`;
if (!process.argv.includes("--check")) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
} else if (readFileSync(file, "utf8") !== text) {
  console.log(`${file} is not what the types say: run npm run generate`);
  process.exitCode = 1;
}
