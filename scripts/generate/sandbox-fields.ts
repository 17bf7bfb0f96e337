// The fields of the sandbox's built-in kinds, from the models of the Kubernetes client, which have no descriptions.
import { createRequire } from "node:module";
import { join } from "node:path";
import { modelOf } from "../../tools/sandbox/src/resources/builtin-fields.ts";
import { builtinResources } from "../../tools/sandbox/src/resources/builtin-resources.ts";
import { root } from "../source/files.ts";

interface Model {
  getAttributeTypeMap(): readonly {
    readonly baseName: string;
    readonly type: string;
    readonly format: string;
  }[];
}

export function sandboxFields() {
  const found = new Map<string, Readonly<Record<string, string>>>();
  const requireOfKube = createRequire(join(root, "packages/kube/package.json"));
  const models = requireOfKube("@kubernetes/client-node") as Readonly<
    Record<string, Partial<Model> | undefined>
  >;
  for (const kind of builtinResources) add(modelOf(kind));
  const fields = Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
  return { "tools/sandbox/src/resources/builtin-fields.json": `${JSON.stringify(fields, null, 2)}\n` };

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
}
