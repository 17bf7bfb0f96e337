import { readFile } from "node:fs/promises";
import { Ajv } from "ajv";

/** Where a document is not as its published schema describes it. */
export async function schemaErrors(name: string, document: unknown): Promise<readonly unknown[]> {
  const text = await readFile(new URL(`../../schema/${name}.json`, import.meta.url), "utf8");
  const validate = new Ajv({ allErrors: true }).compile(JSON.parse(text) as object);
  validate(document);
  return validate.errors ?? [];
}
