// docs/tutorial-one-object.md, with every command.
import { afterAll, beforeAll, expect, test } from "vitest";
import { isProgram, openTutorial, type TutorialPage } from "../tutorial-page.ts";

let page: TutorialPage;
beforeAll(async () => {
  page = await openTutorial("tutorial-one-object.md");
});
afterAll(() => page?.close());

test("every command of the tutorial works, and the Deployment follows the query of its one object", async () => {
  expect(page.blocks.filter(isProgram)).toHaveLength(4);
  const all = await page.carryOut();
  expect(all).toContain('sum(shop_requests_per_second{service="shop",namespace="default"})');
  expect(all).toContain("examples/tutorial-query/shop.yaml: 1 query of WorkloadAutoscalers, no problems");
  expect(all).toMatch(/query\[0\] {2}[\d.]+ of 100 each/);
  expect(all).toMatch(/NamespaceMatcher/);
  expect(all).toContain('workloadautoscaler.autoscaling.plimsoll.dev "shop" deleted');
});
