import { readFileSync } from "node:fs";
import { Ajv } from "ajv";

/** What is wrong with a document by the schema that is published for it; null where nothing is. */
export function schemaErrors(name: string, text: string): unknown {
  const schema = JSON.parse(
    readFileSync(new URL(`../schema/${name}.json`, import.meta.url), "utf8"),
  ) as object;
  const validate = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(schema);
  validate(JSON.parse(text));
  return validate.errors ?? null;
}
