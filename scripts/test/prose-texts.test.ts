import { expect, test } from "vitest";
import { textsOf } from "../prose/texts.ts";
import { parseSource } from "../source/parse.ts";

test("texts are strings and templates of several words, without what is put in", () => {
  const source = 'import "./a b.ts"; const one = "word"; fail(`${one} is no\n port`, "give a port", 7);';
  expect(textsOf(parseSource("a.ts", source)).map(({ text }) => text)).toEqual([
    "./a b.ts",
    "… is no port",
    "give a port",
  ]);
});
