import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { local } from "./fixture.ts";

const root = local("../../../");
const page = readFileSync(`${root}docs/troubleshooting.md`, "utf8");
const { groups } = parse(readFileSync(`${root}deploy/alerts/plimsoll.rules.yaml`, "utf8")) as {
  groups: readonly {
    rules: readonly { alert: string; annotations: Readonly<Record<string, string>> }[];
  }[];
};

/** Sections by the anchors that a reader's browser goes to. */
const sections = new Map(
  page
    .split(/^## /m)
    .slice(1)
    .map((text) => {
      const [heading = ""] = text.split("\n", 1);
      return [
        heading
          .toLowerCase()
          .replaceAll(/[^\w\s-]/g, "")
          .replaceAll(" ", "-"),
        text,
      ] as const;
    }),
);

test("the runbook of every alert is a section that names the alert", () => {
  const faults = groups
    .flatMap(({ rules }) => rules)
    .filter(({ alert, annotations }) => {
      const [, anchor = ""] =
        /^https:\/\/\S+\/docs\/troubleshooting#([\w-]+)$/.exec(annotations["runbook_url"] ?? "") ?? [];
      return sections.get(anchor)?.includes(`\`${alert}\``) !== true;
    });
  expect(faults.map(({ alert }) => alert)).toEqual([]);
});
