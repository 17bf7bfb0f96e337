import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { allowed } from "../../src/enforce/nodes.ts";

const symbols: Readonly<Record<string, string>> = {
  Pow: "^",
  Mul: "*",
  Div: "/",
  Mod: "%",
  Add: "+",
  Sub: "-",
  Eql: "==",
  Gte: ">=",
  Gtr: ">",
  Lte: "<=",
  Lss: "<",
  Neq: "!=",
  EqlSingle: "=",
  EqlRegex: "=~",
  NeqRegex: "!~",
  At: "@",
  AtStart: "start",
  AtEnd: "end",
};

const plain = (name: string): string => name.toLowerCase().replaceAll("_", "");

test("the security model says what each part of PromQL costs that a tenant may use", () => {
  const page = readFileSync(
    new URL("../../../../docs/developers/security-model.md", import.meta.url),
    "utf8",
  );
  const [, section = ""] = page.split("## What one query can cost\n");
  const rows = section.split("\n").filter((line) => line.startsWith("| "));
  const named = rows.flatMap((row) =>
    Array.from(row.split(" | ")[0]?.matchAll(/`([^`]+)`/g) ?? [], ([, name = ""]) => plain(name)),
  );
  const missing = [...allowed].filter((name) => !named.includes(symbols[name] ?? plain(name)));
  expect(missing).toEqual([]);
});
