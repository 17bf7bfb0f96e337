import { expect, test } from "vitest";
import {
  createFlagReader,
  type FlagWording,
  flagWarnings,
  helpText,
  parseFlags,
  section,
} from "../../src/flags/index.ts";

const flags = {
  ...section("Serving", {
    port: { kind: "int", default: "80", help: "Port." },
    mode: { kind: "string", choices: ["on", "off"], default: "on", help: "Mode.", alsoOf: "upstream" },
    path: { kind: "strings", value: "path", help: "Paths." },
    wait: { kind: "duration", help: "Wait." },
    fast: { kind: "bool", default: "false", help: "Fast." },
    ratio: { kind: "number", default: "0.1", help: "Ratio." },
  }),
  ...section("Other", {
    v: { kind: "int", default: "0", help: "Verbosity." },
    old: { kind: "bool", help: "No effect.", effect: { ignored: "it is old" } },
  }),
} as const;

const wording: FlagWording = {
  unknownFlag: (flag, suggestion) => `${flag}${suggestion}`,
  unknownArgument: (argument, number, isLikelyValue) =>
    isLikelyValue ? undefined : `${number}: ${argument}`,
  withoutValue: (name, placeholder) => `${name}=${placeholder}`,
  invalid: (name, value, expected) => `${name} ${value} ${JSON.stringify(expected)}`,
};

const read = (...args: readonly string[]) => createFlagReader(flags, parseFlags(flags, args), wording);

test.each([
  [["--port", "8080"], 8080],
  [["--port=8080"], 8080],
  [["--port=1", "--port=2"], 2],
  [[], 80],
])("%j is read as Go's flags are", (args, port) => {
  const { problems, integer } = read(...args);
  expect(integer("port", { min: 0, max: 65_535 })).toBe(port);
  expect(problems).toEqual([]);
});

test("a flag of one letter has one dash or two, a boolean needs no value, lists repeat and have commas", () => {
  const flag = read("-v", "6", "--fast", "--path=a,b", "--path", "c", "--wait=1m30s", "--ratio=5e-1");
  expect(flag.integer("v", { min: 0, max: 9 })).toBe(6);
  for (const v of ["-v=6", "-v6", "--v=6"]) expect(read(v).integer("v", { min: 0, max: 9 })).toBe(6);
  expect(flag.boolean("fast")).toBe(true);
  expect(flag.list("path")).toEqual(["a", "b", "c"]);
  expect(flag.strings("path")).toEqual(["a,b", "c"]);
  expect(flag.durationMs("wait")).toBe(90_000);
  expect(flag.number("ratio", { min: 0 })).toBe(0.5);
  expect(flag.choice("mode")).toBe("on");
  expect(flag.problems).toEqual([]);
});

test("problems of arguments and of values are reported together, each with what was expected", () => {
  const flag = read(
    "--prot=1",
    "--mystery",
    "value",
    "word",
    "--mode",
    "--port=99",
    "--wait=-1s",
    "--fast=2",
  );
  flag.integer("port", { min: 0, max: 9 });
  flag.durationMs("wait");
  flag.boolean("fast");
  expect(flag.problems).toEqual([
    "--prot; did you mean --port?",
    "--mystery",
    "4: word",
    "mode=on|off",
    'port 99 {"type":"integer","min":0,"max":9,"isOutOfRange":true}',
    'wait -1s {"type":"duration","minMs":0,"isOutOfRange":true}',
    'fast 2 {"type":"boolean"}',
  ]);
});

test("a flag without an effect is a warning only when it is set", () => {
  expect(flagWarnings(flags, parseFlags(flags, []))).toEqual([]);
  expect(flagWarnings(flags, parseFlags(flags, ["--old"]))).toEqual(["--old has no effect: it is old"]);
});

test("--help has each flag in its section", () => {
  const help = helpText({ name: "program", summary: "Does it.", flags });
  expect(help).toContain("Serving:\n");
  expect(help).toMatch(/--mode <on\|off> +Mode\. \(default: "on"\)/);
  expect(help).toContain("-v, --v <number>");
});
