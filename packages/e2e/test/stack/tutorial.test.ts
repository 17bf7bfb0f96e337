// docs/tutorial.md, with every command.
import { afterAll, beforeAll, expect, test } from "vitest";
import { isProgram, openTutorial, type TutorialPage } from "../tutorial-page.ts";

let page: TutorialPage;
beforeAll(async () => {
  page = await openTutorial("tutorial.md", "tutorial");
});
afterAll(() => page?.close());

test("the page has four programs, each in a block of its own", () => {
  const programs = page.blocks.filter(isProgram);
  expect(programs).toHaveLength(4);
  expect(programs.filter((block) => block.includes("\n"))).toEqual([]);
});

test("every command of the tutorial works, and the workload follows the series", async () => {
  const all = await page.carryOut();
  expect(all).toContain('"value":"90"');
  const [, shown = ""] = /^```text\n([^]*?)^```$/m.exec(page.text) ?? [];
  expect(shown).toContain("3 replicas");
  expect(all).toContain(shown);
});
