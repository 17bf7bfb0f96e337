// docs/rules-file.md against the code that reads such files.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadRules } from "../../src/compile/load.ts";

const root = join(import.meta.dirname, "../../../..");
const page = readFileSync(join(root, "docs/rules-file.md"), "utf8");

/** Names of the fields of each table, in one string. */
const tables = page
  .split("| field | |\n| --- | --- |\n")
  .slice(1)
  .map((rest) =>
    [...(rest.split("\n\n")[0] ?? "").matchAll(/^\| `([.\w]+)` \|/gm)].map(([, name = ""]) => name),
  );

test("each mapping of a rules file has a table with its fields, and no other", () => {
  const read = globSync("packages/rules/src/compile/*.ts", { cwd: root })
    .flatMap((path) => [
      ...readFileSync(join(root, path), "utf8").matchAll(/\.fields\([\w.]+, \[([^\]]+)\]/g),
    ])
    .map(([, names = ""]) => [...names.matchAll(/"(\w+)"/g)].map(([, name = ""]) => name));
  expect(read).toHaveLength(9);
  const shown = tables.filter(([first]) => first?.startsWith(".") !== true);
  expect(shown.map((names) => names.toSorted().join()).toSorted()).toEqual(
    read.map((names) => names.toSorted().join()).toSorted(),
  );
});

test("the fields of templates are those that the parser knows", () => {
  const source = readFileSync(join(root, "packages/prometheus/src/rule-template.ts"), "utf8");
  const known = [...source.matchAll(/^ {2}(\w+): "(?:string|text|map|list)",$/gm)].map(
    ([, name]) => `.${name}`,
  );
  const shown = tables.find(([first]) => first?.startsWith("."));
  expect(shown?.toSorted()).toEqual(known.toSorted());
});

test.each([
  ["rules-file", page],
  ["live-metrics", readFileSync(join(root, "docs/live-metrics.md"), "utf8")],
])("the example of %s loads without a warning", (_name, text) => {
  const [, example = ""] = /^```yaml\n((?:#.*\n)*rules:[^]*?)^```$/m.exec(text) ?? [];
  expect(loadRules(example, "rules.yaml")).toMatchObject({ ok: true, warnings: [] });
});
