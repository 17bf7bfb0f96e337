// The JSON Schema of files of tests takes what their reader takes, and refuses what it refuses for its structure.
import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { readTestFile } from "../src/commands/rules/test/test-file.ts";

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");
const validate = new Ajv({ allowUnionTypes: true }).compile(
  JSON.parse(read("deploy/schema/rules-tests.v1.json")) as object,
);
const isTaken = (value: unknown): boolean => "tests" in readTestFile(JSON.stringify(value));

const series = { series: "up", values: "1x3" };
const one = { get: "namespaces/default/pods/*/up", expect: [{ value: "1" }] };
const fileOf = (test: object) => ({ rules: "rules.yaml", tests: [test] });

test.each([
  ["the example", parse(read("examples/demo/rules-test.yaml")) as unknown],
  ["no more than is needed", fileOf(one)],
  [
    "every field",
    { ...fileOf({ ...one, name: "a", interval: "1s", at: "5s", series: [series] }), interval: "1m" },
  ],
  ["an error in place of items", fileOf({ ...one, expect: undefined, error: "not found" })],
  [
    "fields without a value",
    fileOf({ ...one, name: null, interval: null, series: null, at: null, error: null }),
  ],
  ["numbers without quotation marks", fileOf({ ...one, expect: [{ value: 1 }] })],
  ["no items at all", fileOf({ ...one, expect: [] })],
])("both take %s", (_, value) => {
  const given = JSON.parse(JSON.stringify(value)) as unknown;
  expect({ reader: isTaken(given), schema: validate(given), errors: validate.errors }).toMatchObject({
    reader: true,
    schema: true,
  });
});

test.each([
  ["nothing", null],
  ["no rules", { tests: [one] }],
  ["no tests", { rules: "rules.yaml", tests: [] }],
  ["a field that is none", fileOf({ ...one, expected: [] })],
  ["no request", fileOf({ expect: [] })],
  ["neither items nor an error", fileOf({ get: one.get })],
  ["both", fileOf({ ...one, error: "x" })],
  ["items without a value", fileOf({ ...one, expect: [{ pod: "a" }] })],
  ["items that are no list", fileOf({ ...one, expect: { value: "1" } })],
  ["series without values", fileOf({ ...one, series: [{ series: "up" }] })],
  ["series that are texts", fileOf({ ...one, series: ["up"] })],
])("both refuse %s", (_, value) => {
  expect({ reader: isTaken(value), schema: validate(value) }).toEqual({ reader: false, schema: false });
});
