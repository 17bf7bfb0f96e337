// Writes the fields of the sandbox's built-in kinds from the models of Kubernetes' own client; with --check, says
// whether they differ and fails. Descriptions of fields are not in the models.
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { generate } from "./source/generated.ts";

interface Model {
  getAttributeTypeMap(): readonly {
    readonly baseName: string;
    readonly type: string;
    readonly format: string;
  }[];
}

const packages = join(import.meta.dirname, "../packages");
const resources = join(packages, "sandbox/src/resources");
const client = createRequire(join(packages, "kube/package.json")).resolve("@kubernetes/client-node");
const models = (await import(pathToFileURL(client).href)) as Readonly<
  Record<string, Partial<Model> | undefined>
>;
const { builtinResources } = (await import(pathToFileURL(join(resources, "builtin-resources.ts")).href)) as {
  readonly builtinResources: readonly {
    readonly group: string;
    readonly version: string;
    readonly kind: string;
  }[];
};
const { modelOf } = (await import(pathToFileURL(join(resources, "builtin-fields.ts")).href)) as {
  readonly modelOf: (kind: { group: string; version: string; kind: string }) => string;
};

const found = new Map<string, Readonly<Record<string, string>>>();
for (const kind of builtinResources) add(modelOf(kind));

const fields = Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
generate(
  { "packages/sandbox/src/resources/builtin-fields.json": `${JSON.stringify(fields, null, 2)}\n` },
  "the model of the client",
);

function add(name: string): void {
  const fields = models[name]?.getAttributeTypeMap?.();
  if (fields === undefined || found.has(name)) return;
  found.set(name, {});
  found.set(
    name,
    Object.fromEntries(fields.map(({ baseName, type, format }) => [baseName, typeOf(type, format)])),
  );
}

/** "[]" and "{}" before the type of the items; a model's name, or the format of a scalar. */
function typeOf(type: string, format: string): string {
  const list = /^Array<(.*)>$/.exec(type)?.[1];
  if (list !== undefined) return `[]${typeOf(list, format)}`;
  const map = /^\{ \[key: string\]: (.*); \}$/.exec(type)?.[1];
  if (map !== undefined) return `{}${typeOf(map, format)}`;
  add(type);
  return found.has(type) ? type : format === "" ? type : format;
}
