// docs/tutorial-queue.md, with every command.
import { afterAll, beforeAll, expect, test } from "vitest";
import { isProgram, openTutorial, type TutorialPage } from "../tutorial-page.ts";

let page: TutorialPage;
beforeAll(async () => {
  page = await openTutorial("tutorial-queue.md");
});
afterAll(() => page?.close());

test("every command of the tutorial works, and the workers go to zero and come back", async () => {
  expect(page.blocks.filter(isProgram)).toHaveLength(4);
  const all = await page.carryOut();
  expect(all).toContain("workloadautoscaler.autoscaling.plimsoll.dev/order-worker condition met");
  expect(all).toMatch(/SuccessfulRescale.*New size: 0;/);
  expect(all).toMatch(/SuccessfulRescale.*New size: 1;/);
});
