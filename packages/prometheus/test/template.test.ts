import { readFileSync } from "node:fs";
import { assertProperty } from "@plimsoll/properties";
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
  ["<<9007199254740993>>", "numbers beyond 2^53 are not supported: 9007199254740993", 1, 3],
  ["<<html .Series>>", "function html is not supported", 1, 3],
  ["<<nil | print>>", "nil is not a command", 1, 3],
  ["<<index .Series 0>>", "index of a string is not supported", 1, 3],
  ["<<index (and 3 .Series) 0>>", "index of a string is not supported", 1, 3],
  ["<<index (index .Series) 0>>", "index of a string is not supported", 1, 3],
  [
    "<<range $a := or false .GroupBySlice>><<index $a 0>><<end>>",
    "index of a string is not supported",
    1,
    41,
  ],
  ["<<index (index (or false .GroupBySlice) 0) 0>>", "index of a string is not supported", 1, 3],
  [
    "<<$a := 3>><<if .Series>><<$a = .Series>><<end>><<index $a 0>>",
    "index of a string is not supported",
    1,
    51,
  ],
  ["<<.Series | printf>>", "printf needs its format as a quoted string", 1, 13],
  ["<<printf .Series>>", "printf needs its format as a quoted string", 1, 3],
  ['<<"\\xff">>', "bytes beyond 7f in texts are not supported: \\xff", 1, 3],
  ['<<"\\303\\251">>', "bytes beyond 7f in texts are not supported: \\303", 1, 3],
  ['<<"\\777">>', "bad escape \\777", 1, 3],
  ['<<"\\ud800">>', "bad escape \\ud800", 1, 3],
])("says where %j is wrong", (text, reason, line, column) => {
  const error = expectError(() => compileQueryTemplate(text));
  expect(error).toMatchObject({ reason, line, column });
});

test("finds fields that no data has, through range and with", () => {
  const query = compileQueryTemplate(
    "<<.Foo>> <<range $i, $g := .GroupBySlice>><<$g.Bar>><<$.Baz>><<end>><<with .LabelValuesByName>><<.any>><<end>>",
  );
  expect(query.fields.unknown.map((error) => error.reason.split(";")[0])).toEqual([
    "no field .Foo",
    "no field .Bar",
    "no field .Baz",
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
  assertProperty(
    fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
      expect(outcome(pieces.join(""))).toHaveProperty("template");
    }),
    { numRuns: 2_000 },
  );
});

test("deep nesting is refused, not a crash", () => {
  const deep = [
    `<<${"(".repeat(5_000)}1${")".repeat(5_000)}>>`,
    "<<if true>>".repeat(3_000) + "<<end>>".repeat(3_000),
  ];
  expect(deep.map((text) => expectError(() => compileQueryTemplate(text)).reason)).toEqual([
    "nested too deeply",
    "nested too deeply",
  ]);
});

test.each(["%z", "%*d", "%[2]s", "%.*s", "%#v", "% x", "%+v", "%-05d", "%1001s", "%w", "%e", "%U", "%p"])(
  "printf refuses %s when the template is loaded",
  (format) => {
    const error = expectError(() => compileQueryTemplate(`<<printf "a ${format}" 1 2>>`));
    expect(error.reason).toContain("printf does not support");
  },
);

const longText = `<<$x := "x">><<range 17>><<$x = print $x $x>><<end>>`;

test.each([
  ["loops within loops", `${"<<range 400>>".repeat(4)}${"<<end>>".repeat(4)}`, "steps"],
  ["a loop that is too long", "<<range 999999999>><<end>>", "steps"],
  ["much text in a loop", `<<range 9999>>${"x".repeat(1000)}<<end>>`, "characters of output"],
  ["the last text that is too much", `<<range 5>>${"x".repeat(60_000)}<<end>>`, "characters of output"],
  ["much work in each turn of a loop", `<<range 49000>><<$x := print ${"1 ".repeat(999)}>><<end>>`, "steps"],
  ["long texts that are read often", `${longText}<<range 9000>><<$y := len $x>><<end>>`, "steps"],
  ["loops that break at once", "<<range 9000>><<range 80000>><<break>><<end>><<end>>", "steps"],
])("%s ends with an error, after a bounded number of steps", (_, template, reason) => {
  expect(expectError(() => compileQueryTemplate(template).render(data)).reason).toContain(reason);
});

test("loops within loops are counted before their items are listed", () => {
  const nested = `${"<<range 60000>>".repeat(50)}${"<<end>>".repeat(50)}`;
  // The second loop, not the last.
  expect(expectError(() => compileQueryTemplate(nested).render(data))).toMatchObject({ column: 24 });
});

test.each([
  ["print $x $x"],
  ["println $x $x"],
  ['printf "%s%s" $x $x'],
  ['printf "%q" $x'],
  ['printf "" $x $x'],
  [`printf "${"%1000d".repeat(300)}" ${"1 ".repeat(300)}`],
])("a text that doubles is refused before it is made: %s", (doubled) => {
  const template = `<<$x := "ab\u200b">><<range 60>><<$x = ${doubled}>><<end>><<len $x>>`;
  expect(expectError(() => compileQueryTemplate(template).render(data)).reason).toBe(
    "more than 262144 characters of text",
  );
});

test("texts are compared in the order of their bytes, and are not cut within a character", () => {
  const render = (template: string): string => compileQueryTemplate(template).render(data);
  expect(render('<<lt "\\ue000" "\\U0001f600">> <<lt "a" "ab">> <<lt "b" "ab">>')).toBe("true true false");
  expect(render('<<slice "aé" 1 3>>')).toBe("é");
  expect(expectError(() => render('<<slice "aé" 1 2>>')).reason).toBe("slice 1 to 2 cuts a character");
});

test("blanks before a trimming action are read once", () => {
  const template = `${" ".repeat(60_000)}x${" ".repeat(5_000)}<<- 1>>`;
  expect(compileQueryTemplate(template).render(data).length).toBe(60_002);
});

test("a template that is longer than any query is refused", () => {
  expect(expectError(() => compileQueryTemplate("x".repeat(65_537))).reason).toBe(
    "longer than 65536 characters",
  );
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
