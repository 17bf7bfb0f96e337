// docs/permissions.md has each rule of each role that the processes get, and no other.
import { globSync, readFileSync } from "node:fs";
import { parseManifests } from "@plimsoll/testbed";
import { expect, test } from "vitest";
import { local } from "./fixture.ts";

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

const read = (path: string) => readFileSync(local(`../../../${path}`), "utf8");
const page = read("docs/permissions.md");

/** "group: resources: verbs" of each row below a heading. */
function rows(heading: string): readonly string[] {
  const [, section = ""] = page.split(`\n## ${heading}\n`);
  const [own = ""] = section.split("\n## ");
  const cells = own
    .split("\n")
    .filter((line) => line.startsWith("| ") && line.includes("`"))
    .map((line) => line.split("|").map((cell) => cell.replaceAll("`", "").trim()));
  return cells.map(([, group = "", resources = "", verbs = ""]) =>
    [group.replace(/^core$/, "").replace(/^any$/, "*"), resources, verbs].join(": "),
  );
}

function rulesIn(...files: readonly string[]): readonly string[] {
  const objects = files.flatMap(
    (file) =>
      parseManifests(read(`deploy/kustomize/${file}`)) as readonly {
        readonly metadata?: { readonly labels?: object };
        readonly rules?: readonly Rule[];
      }[],
  );
  return (
    objects
      // Those of people are bound by aggregation, and not to a process.
      .filter(({ metadata }) => metadata?.labels === undefined)
      .flatMap(({ rules = [] }) => rules)
      .map(({ apiGroups, resources, verbs }) =>
        [apiGroups.join(", "), resources.join(", "), verbs.join(", ")].join(": "),
      )
  );
}

test.each([
  ["metrics-adapter", ["base/metrics-adapter-rbac.yaml", "base/metrics-adapter-certificate-rbac.yaml"]],
  ["autoscaler", ["base/autoscaler-rbac.yaml"]],
  [
    "What is switched on beside it",
    [
      "components/cron-compatibility/rbac.yaml",
      "components/hpa-schedules/rbac.yaml",
      "components/metric-rules/rbac.yaml",
    ],
  ],
])("the rules of %s are those of the roles", (heading, files) => {
  // The chart alone has the role for other adapters, whose groups are those of its values.
  const federation = "custom.metrics.k8s.io, external.metrics.k8s.io: *: get, list";
  expect(rows(heading).filter((row) => row !== federation)).toEqual(rulesIn(...files));
});

test("no role of a process is in another file", () => {
  const known =
    /^(?:base\/(?:metrics-adapter|metrics-adapter-certificate|autoscaler)-rbac|components\/(?:cron-compatibility|hpa-schedules|metric-rules)\/rbac)\.yaml$/;
  const forPeople = ["base/reader-rbac.yaml", "components/namespace-reader/rbac.yaml"];
  const files = globSync("**/*rbac.yaml", { cwd: local("../../../deploy/kustomize") });
  expect(files.filter((file) => !known.test(file)).toSorted()).toEqual(forPeople);
});

test("every row names a test of the page, and the file has one of this name", () => {
  const tests = [...page.matchAll(/^\| \[(\w)\]\(\.\.\/(\S+)\): "(.*)" \|/gm)];
  expect(tests.map(([, letter]) => letter)).toEqual(["A", "C", "S", "X", "M", "F"]);
  for (const [, , file = "", name = ""] of tests) expect(read(file)).toContain(`"${name}"`);
  const used = [...page.matchAll(/^\|.*`.*\| (\w) \|$/gm)].map(([, letter]) => letter);
  expect(new Set(used)).toEqual(new Set(["A", "C", "S", "X", "M", "F"]));
  expect(used).toHaveLength(27);
});
