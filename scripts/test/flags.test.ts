import { expect, test } from "vitest";
import { section } from "../../packages/component-base/src/flags/index.ts";
import { flags } from "../../packages/metrics-adapter/src/options/flags.ts";
import { tables } from "../generate/flags.ts";

test("each flag is in the table of its section", () => {
  const mode = {
    kind: "string",
    choices: ["on", "off"],
    default: "on",
    help: "Mode.",
    alsoOf: "upstream",
  } as const;
  const docs = tables(section("Serving", { mode }));
  expect(docs).toContain("## Serving\n\n| Flag | Default | Meaning | Also of |");
  expect(docs).toContain("| `--mode <on\\|off>` | `on` | Mode. | upstream |");
});

test("flags without an effect share a row for each reason", () => {
  const old = { kind: "bool", help: "no effect: old", effect: { ignored: "old" } } as const;
  const docs = tables(section("Old", { one: old, two: old, used: { kind: "int", help: "no effect: old" } }));
  expect(docs).toContain(
    "| `--one`, `--two` |  | no effect: old |\n| `--used <number>` |  | no effect: old |",
  );
});

test("the reference has each flag once", () => {
  const text = tables(flags);
  const rows = text.split("\n").filter((line) => line.startsWith("| `--"));
  const named = rows.flatMap((row) =>
    [...(row.split(" | ")[0] ?? "").matchAll(/`--([\w-]+)/g)].map(([, name = ""]) => name),
  );
  expect(named.toSorted()).toEqual(Object.keys(flags).toSorted());
  expect(text).toContain("| `--secure-port <number>` | `443` | HTTPS port; 0 picks a free port |");
});
