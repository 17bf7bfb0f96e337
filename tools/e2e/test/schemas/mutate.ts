// Makes a file wrong in one place.
import * as fc from "fast-check";

type Path = readonly (string | number)[];

const replacements: readonly unknown[] = [null, true, 7, -1, "text", "", [], ["a"], {}, { unknown: 1 }];

/** The value with one place of it removed, replaced, or given a field that nothing reads. */
export function mutated(value: unknown): fc.Arbitrary<unknown> {
  const paths = pathsOf(value, []);
  return fc
    .tuple(
      fc.constantFrom(...paths),
      fc.constantFrom("remove", "add", "replace"),
      fc.constantFrom(...replacements),
    )
    .map(([path, how, replacement]) => changed(value, path, { how, replacement }));
}

function pathsOf(value: unknown, path: Path): readonly Path[] {
  if (typeof value !== "object" || value === null) return [path];
  const inner = Object.entries(value).flatMap(([key, item]) =>
    pathsOf(item, [...path, Array.isArray(value) ? Number(key) : key]),
  );
  return [path, ...inner];
}

interface Change {
  readonly how: string;
  readonly replacement: unknown;
}

function changed(value: unknown, path: Path, change: Change): unknown {
  const [key, ...rest] = path;
  if (key === undefined) {
    const isMap = typeof value === "object" && value !== null && !Array.isArray(value);
    return change.how === "add" && isMap ? { ...value, unknownField: 1 } : change.replacement;
  }
  if (Array.isArray(value)) {
    const items = [...(value as readonly unknown[])];
    const at = Number(key);
    if (change.how === "remove" && rest.length === 0) items.splice(at, 1);
    else items[at] = changed(items[at], rest, change);
    return items;
  }
  const fields = { ...(value as Readonly<Record<string, unknown>>) };
  if (change.how === "remove" && rest.length === 0) delete fields[key];
  else fields[key] = changed(fields[key], rest, change);
  return fields;
}
