import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { compileQueryTemplate, TemplateError } from "../src/index.ts";

interface TemplateVector {
  readonly template: string;
  readonly output?: string;
  /** The stage at which Go's text/template refuses it. */
  readonly error?: "compile" | "render";
}

const data = {
  series: "x_total",
  labelMatchers: 'a="b",c="d"',
  labelValuesByName: new Map([
    ["namespace", "ns"],
    ["service", "s1|s2"],
  ]),
  groupBy: ["pod", "container"],
};

const vectors = JSON.parse(
  readFileSync(new URL("./vectors/template.json", import.meta.url), "utf8"),
) as readonly TemplateVector[];

function outcome(template: string): TemplateVector {
  let stage: "compile" | "render" = "compile";
  try {
    const compiled = compileQueryTemplate(template);
    stage = "render";
    return { template, output: compiled.render(data) };
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return { template, error: stage };
  }
}

test("there are vectors", () => {
  expect(vectors.length).toBeGreaterThan(100);
});

test.each(vectors)("as Go's text/template: $template", (vector) => {
  expect(outcome(vector.template)).toEqual(vector);
});

test.each([
  ['<<template "x">>', "<<template>> is not supported", 1, 3],
  ['a\n<<define "x">>y<<end>>', "<<define>> is not supported", 2, 3],
  ['<<"abc" 1>>', "only a function takes arguments", 1, 3],
  ["sum(<<.Series>>)\n  by (<<.GroupBy | nope>>)", 'function "nope" is not defined', 2, 20],
  ["<<if .Series>>x", "<<if>> without <<end>>", 1, 3],
  ["<<1.5>>", "only whole numbers are supported: 1.5", 1, 3],
])("says where %j is wrong", (text, reason, line, column) => {
  const error = expectError(() => compileQueryTemplate(text));
  expect(error).toMatchObject({ reason, line, column });
});

test("finds fields that no data has, through range and with", () => {
  const query = compileQueryTemplate(
    "<<.Foo>> <<range $i, $g := .GroupBySlice>><<$g.Bar>><<$.Baz>><<end>><<with .LabelValuesByName>><<.any>><<end>>",
  );
  expect(query.fields.unknown.map((error) => error.reason.split(";")[0])).toEqual([
    "there is no field .Foo",
    "there is no field .Bar",
    "there is no field .Baz",
  ]);
  expect([...query.fields.used].sort()).toEqual(["GroupBySlice", "LabelValuesByName"]);
});

test("any text either compiles or is refused with a position", () => {
  const piece = fc.constantFrom(
    "<<",
    ">>",
    "-",
    ".Series",
    "$x",
    ":=",
    "if ",
    "end",
    "else",
    "range ",
    "(",
    ")",
    "|",
    '"',
    "a",
    " ",
    "\n",
    ".",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
      expect(outcome(pieces.join(""))).toHaveProperty("template");
    }),
    { numRuns: 2_000 },
  );
});

test("deep nesting is refused, not a crash", () => {
  const deep = [
    `<<${"(".repeat(5_000)}1${")".repeat(5_000)}>>`,
    "<<if true>>".repeat(5_000) + "<<end>>".repeat(5_000),
  ];
  expect(deep.map((text) => expectError(() => compileQueryTemplate(text)).reason)).toEqual([
    "nested too deeply",
    "nested too deeply",
  ]);
});

function expectError(run: () => unknown): TemplateError {
  try {
    run();
  } catch (error) {
    if (error instanceof TemplateError) return error;
    throw error;
  }
  throw new Error("expected a TemplateError");
}
