import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../source/files.ts";

const read = (path: string): string => readFileSync(join(root, path), "utf8");
const upgrade = read("docs/upgrade.md");

/** The cell "version now" of a row of "What is stable". */
function versionNow(start: string): string {
  const row = upgrade.split("\n").find((line) => line.startsWith(`| ${start}`)) ?? "";
  return row.split(" | ")[1] ?? "";
}

test("every version of a CRD is in the table", () => {
  const versions = globSync("deploy/crds/*.yaml", { cwd: root }).flatMap((path) => {
    const text = read(path);
    const [, group = ""] = /^ {2}group: (\S+)$/m.exec(text) ?? [];
    const [, kind = ""] = /^ {4}kind: (\S+)$/m.exec(text) ?? [];
    const names = [...text.matchAll(/^ {4}(?:- |  )name: (\S+)$/gm)].map(([, name = ""]) => name);
    return names.map((name) => ({ kind, version: `${group}/${name}` }));
  });
  expect(versions.length).toBeGreaterThan(1);
  for (const { kind, version } of versions) expect(versionNow(`CRD ${kind}`)).toBe(`\`${version}\``);
});

test.each([
  ["record of a decision", "packages/core/src/reasons/record/record.ts"],
  ["conformance vectors", "packages/conformance/src"],
])("the version of the row %s is that of the sources", (row, path) => {
  const text = path.endsWith(".ts")
    ? read(path)
    : globSync(`${path}/**/*.ts`, { cwd: root }).map(read).join("\n");
  const names = versionNow(row).replaceAll("`", "").split(", ");
  expect(names.filter((name) => name === "" || !text.includes(name))).toEqual([]);
});

test("every JSON Schema of the command line has the version of the table", () => {
  const schemas = globSync("packages/cli/schema/*.json", { cwd: root });
  expect(schemas.length).toBeGreaterThan(10);
  expect(schemas.filter((path) => !path.endsWith(".v1.json"))).toEqual([]);
  expect(versionNow("JSON that the command line prints")).toMatch(/^`v1` /);
});

test("the APIs of the table are those of the page of paths", () => {
  const page = read("docs/http-api.md");
  const named = [versionNow("APIs of metrics"), versionNow("paths, parameters and fields")].flatMap((cell) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name),
  );
  expect(named.length).toBe(7);
  expect(named.filter((name) => !page.includes(name))).toEqual([]);
});

test("the chart refuses the releases of Kubernetes that the page says", () => {
  const [, minimum = ""] =
    /^kubeVersion: ">=(\d+\.\d+)/m.exec(read("deploy/chart/plimsoll/Chart.yaml")) ?? [];
  expect(upgrade).toContain(`the chart refuses those before ${minimum} |`);
});

test("the changelog names the version of the packages, and begins with what comes next", () => {
  const { version } = JSON.parse(read("package.json")) as { readonly version: string };
  const changelog = read("CHANGELOG.md");
  expect(changelog).toContain(version);
  expect([...changelog.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading)[0]).toBe("Unreleased");
});
