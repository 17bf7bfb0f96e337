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
    "Optional rights",
    [
      "components/shards/rbac.yaml",
      "components/cron-compatibility/rbac.yaml",
      "components/hpa-schedules/rbac.yaml",
      "components/metric-rules/rbac.yaml",
      "components/live-metrics/rbac.yaml",
    ],
  ],
])("the rules of %s are those of the roles", (heading, files) => {
  // The chart alone has the role for other adapters, whose groups are those of its values.
  const federation = "custom.metrics.k8s.io, external.metrics.k8s.io: *: get, list";
  expect(rows(heading).filter((row) => row !== federation)).toEqual(rulesIn(...files));
});

test("no role of a process is in another file", () => {
  const known =
    /^(?:base\/(?:metrics-adapter|metrics-adapter-certificate|autoscaler)-rbac|components\/(?:cron-compatibility|hpa-schedules|live-metrics|metric-rules|shards)\/rbac)\.yaml$/;
  const forPeople = ["base/reader-rbac.yaml", "components/namespace-reader/rbac.yaml"];
  const files = globSync("**/*rbac.yaml", { cwd: local("../../../deploy/kustomize") });
  expect(files.filter((file) => !known.test(file)).toSorted()).toEqual(forPeople);
});

test.each([
  ["adapter", "rbac", "without %s something fails"],
  ["certificate", "certificate-rbac", "without %s something fails"],
  ["autoscaler", "autoscaler-rbac", "without a part, exactly that fails which it is for"],
  ["autoscaler", "autoscaler-rbac", "the same holds of $component beside it"],
  [
    "MetricRules",
    "metric-rules",
    "a rule is served within two seconds of its creation and of each change, with its status",
  ],
  [
    "federation",
    "federation",
    "a service account without the right is refused by the real server, and its own words are handed on",
  ],
])("the rights of %s link to %s, which has the test", (words, file, title) => {
  const path = `tools/e2e/cluster/${file}.test.ts`;
  expect(page).toContain(`[${words}](../${path})`);
  expect(read(path)).toContain(`"${title}"`);
});

test("each row says what a right is for", () => {
  const used = [...page.matchAll(/^\|.*`.*\| (?:list|get|create|update|patch|`)[^|]*\|([^|]*)\|$/gm)];
  expect(used).toHaveLength(35);
  expect(used.filter(([, reason = ""]) => reason.trim() === "").map(([row]) => row)).toEqual([]);
});
