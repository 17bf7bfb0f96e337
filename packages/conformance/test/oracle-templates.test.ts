import { expect, test } from "vitest";
import { createRandom } from "../src/oracle/random.ts";
import { outcomeOf } from "../src/oracle/templates/compare.ts";
import { makeTemplate } from "../src/oracle/templates/generate.ts";

test("templates of one seed are the same, and each is rendered or refused with a reason", () => {
  const [random, again] = [createRandom("templates 1"), createRandom("templates 1")];
  const outcomes = Array.from({ length: 1_000 }, () => {
    const template = makeTemplate(random);
    expect(makeTemplate(again)).toBe(template);
    return outcomeOf(template);
  });
  expect(outcomes.filter(({ output }) => output !== undefined).length).toBeGreaterThan(200);
  for (const { output, reason } of outcomes) expect(output ?? reason).toBeTypeOf("string");
});
