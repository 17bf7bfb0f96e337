import { unitOf } from "@plimsoll/decisions";
import { expect, test } from "vitest";
import { shownQuantity } from "../../src/output/metric-words.ts";

test.each([
  ["Resource", "memory", "512Mi each"],
  ["ContainerResource", "memory", "512Mi each"],
  ["Pods", "memory", "536870912 each"],
  ["External", "memory", "536870912 each"],
  ["Resource", "hugepages", "536870912 each"],
])("a quantity of the %s metric %s", (type, name, shown) => {
  expect(shownQuantity("536870912 each", unitOf({ type, name }).isBytes)).toBe(shown);
});
