// docs/tutorial-ingress.md, with every command.
import { afterAll, beforeAll, expect, test } from "vitest";
import { isProgram, openTutorial, type TutorialPage } from "../tutorial-page.ts";

let page: TutorialPage;
beforeAll(async () => {
  page = await openTutorial("tutorial-ingress.md");
});
afterAll(() => page?.close());

test("every command of the tutorial works, and the shop follows the requests of its Ingress", async () => {
  expect(page.blocks.filter(isProgram)).toHaveLength(4);
  const all = await page.carryOut();
  expect(all).toContain('"kind":"Ingress"');
  expect(all).toMatch(/requests-per-second proposes 3/);
});
