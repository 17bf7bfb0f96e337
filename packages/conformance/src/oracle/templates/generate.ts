// Generates random Go templates.
import type { Random } from "../random.ts";

const DEEPEST = 3;

/** A random template in Go's language: mostly sensible, with everything that the engine might get wrong. */
export function makeTemplate(random: Random): string {
  const scope: string[] = [];
  const count = random.int(1, 3);
  return Array.from({ length: count }, () => makeNode(random, scope, 0)).join("");
}

function makeNode(random: Random, scope: string[], depth: number): string {
  const body = (): string => makeNode(random, scope, depth + 1);
  const inner = (open: string, otherwise = (): string => ""): string => {
    const outer = scope.length;
    const value = pipeline(random, scope, 0);
    const variable = random.chance(0.4) ? setVariable(random, scope, ["a", "b"]) : "";
    const text = `<<${open} ${variable}${value}>>${body()}${otherwise()}<<end>>`;
    scope.length = outer;
    return text;
  };
  const otherwise = (share: number) => (): string => (random.chance(share) ? `<<else>>${body()}` : "");
  if (depth >= DEEPEST) return action(random, scope);
  return random.weighted<() => string>([
    [4, () => random.pick(["sum(", ") by ", " ", "\n", "é", "{}"])],
    [10, () => action(random, scope)],
    [1, () => setting(random, scope)],
    [2, () => inner("if", otherwise(0.5))],
    [1, () => inner("if", () => `<<else if ${pipeline(random, scope, 0)}>>${body()}`)],
    [2, () => inner("with", otherwise(0.5))],
    [3, () => inner("range", otherwise(0.3))],
    [1, () => pairRange(random, scope, () => `${body()}${otherwise(0.3)()}`)],
    [1, () => `<<range ${random.int(-1, 4)}>>${body()}<<${random.pick(["break", "continue"])}>>x<<end>>`],
  ])();
}

function setting(random: Random, scope: string[]): string {
  const value = pipeline(random, scope, 0);
  return `<<${setVariable(random, scope, ["c"])}${value}>>`;
}

/** Sets one that there is, or declares one of these. */
function setVariable(random: Random, scope: string[], names: readonly [string, ...string[]]): string {
  if (scope.length > 0 && random.chance(0.4)) return `$${scope[random.int(0, scope.length - 1)]} = `;
  const name = random.pick(names);
  scope.push(name);
  return `$${name} := `;
}

function pairRange(random: Random, scope: string[], body: () => string): string {
  const outer = scope.length;
  const opening = `<<range $k, $v := ${pipeline(random, scope, 0)}>>`;
  scope.push("k", "v");
  const text = `${opening}${body()}<<end>>`;
  scope.length = outer;
  return text;
}

function action(random: Random, scope: readonly string[]): string {
  const [open, close] = random.weighted<readonly [string, string]>([
    [8, ["<<", ">>"]],
    [1, ["<<- ", " ->>"]],
    [1, ["<< ", " >>"]],
  ]);
  if (random.chance(0.02)) return `${open}/* note */${close}`;
  return `${open}${pipeline(random, scope, 0)}${close}`;
}

function pipeline(random: Random, scope: readonly string[], depth: number): string {
  const first = command(random, scope, depth);
  if (depth > 1 || random.chance(0.7)) return first;
  const stage = random.weighted<() => string>([
    [4, () => `printf ${format(random)}`],
    [3, () => random.pick(["print", "println", "len", "not", "html", "js", "urlquery"])],
    [
      2,
      () =>
        `${random.pick(["eq", "ne", "lt", "index", "slice", "and", "or"])} ${operand(random, scope, depth)}`,
    ],
    [0.3, () => operand(random, scope, depth)],
  ]);
  return `${first} | ${stage()}`;
}

function command(random: Random, scope: readonly string[], depth: number): string {
  const one = (): string => operand(random, scope, depth);
  const some = (from: number, to: number): string =>
    Array.from({ length: random.int(from, to) }, one).join(" ");
  return random.weighted<() => string>([
    [10, one],
    [16, () => `printf ${format(random)} ${some(0, 3)}`],
    [2, () => `${random.pick(["print", "println"])} ${some(0, 3)}`],
    [2, () => `len ${one()}`],
    [1, () => `index ${one()} ${some(0, 2)}`],
    [1, () => `index .LabelValuesByName ${random.pick(['"namespace"', '"nope"', ".Series"])}`],
    [1, () => `slice ${one()} ${some(0, 3)}`],
    [2, () => `${random.pick(["eq", "ne", "lt", "le", "gt", "ge"])} ${some(0, 3)}`],
    [3, () => `${random.pick(["and", "or", "not"])} ${some(0, 3)}`],
    [0.3, () => `${random.pick(["html", "js", "urlquery", "call", "nope"])} ${some(0, 2)}`],
  ])();
}

function operand(random: Random, scope: readonly string[], depth: number): string {
  const [name = ""] = scope.length === 0 ? [] : [scope[random.int(0, scope.length - 1)]];
  return random.weighted<() => string>([
    [6, () => random.pick([".Series", ".LabelMatchers", ".GroupBy", ".GroupBySlice", ".LabelValuesByName"])],
    [
      2,
      () =>
        random.pick([
          ".LabelValuesByName.service",
          ".LabelValuesByName.nope",
          ".",
          "$",
          "$.Series",
          "$.GroupBySlice",
        ]),
    ],
    [5, () => (name === "" ? ".Series" : `$${name}`)],
    [4, () => random.pick(['"ab"', '"é€"', '""', "`a\\b`", '"a\\"b\\n"', '"\\u00e9\\t"', '"pod"'])],
    [
      0.5,
      () =>
        random.pick([
          '"\\xff"',
          '"\\x41\\101"',
          '"\\777"',
          '"\\ud800"',
          '"\\U0001f600"',
          '"\\ue000"',
          "'\\377'",
          "'\\400'",
        ]),
    ],
    [5, () => random.pick(["0", "1", "2", "-1", "0x1F", "1_2", "0b11", "'\\t'", "017", "+3"])],
    [0.3, () => random.pick(["1.5", "1e3", ".5", "1i", "9223372036854775808", "9007199254740993"])],
    [2, () => random.pick(["true", "false"])],
    [0.3, () => random.pick(["nil", ".Nope"])],
    [3, () => (depth > 2 ? "1" : `(${pipeline(random, scope, depth + 1)})`)],
  ])();
}

function format(random: Random): string {
  if (random.chance(0.05)) return random.pick([".Series", "1", "nil", "`%s`", '""']);
  const directive = (): string => {
    const flags = random.weighted([
      [6, ""],
      [4, random.pick(["-", "0", "+", "#", " ", "-0", "+ ", "#+", "0-"])],
    ]);
    const width = random.weighted([
      [6, ""],
      [3, String(random.int(1, 9))],
      [0.3, "*"],
    ]);
    const precision = random.weighted([
      [7, ""],
      [2, `.${random.pick(["", "0", "1", "3"])}`],
      [0.3, ".*"],
    ]);
    const index = random.chance(0.05) ? random.pick(["[1]", "[2]", "[9]", "[x]"]) : "";
    const verb = random.weighted<string>([
      [20, random.pick(["s", "d", "v", "q", "x"])],
      [8, random.pick(["X", "t", "T", "c", "o", "b", "U", "O"])],
      [2, random.pick(["e", "f", "g", "p", "z", "%", "é", "w"])],
    ]);
    return `%${flags}${width}${precision}${index}${verb}`;
  };
  const parts = Array.from({ length: random.int(1, 3) }, () =>
    random.chance(0.3) ? random.pick(["a", "=", " "]) : directive(),
  );
  return JSON.stringify(`${parts.join("")}${random.chance(0.03) ? "%" : ""}`);
}
