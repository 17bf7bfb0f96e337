import { manualClock } from "@plimsoll/component-base/testing";
import { expect, test } from "vitest";
import { createResourceLookup } from "../../src/catalog/resource-lookup.ts";
import { ingresses } from "../rules.ts";

const name = "ingresses.networking.k8s.io";

function setUp() {
  const clock = manualClock(1_000_000);
  const asked: string[] = [];
  const lookup = createResourceLookup({
    clock,
    onChange: () => {},
    byResource: (wanted) => {
      asked.push(wanted);
      return Promise.resolve(wanted === name ? ingresses : undefined);
    },
  });
  return { clock, asked, lookup };
}

test("however many names a tenant makes up, the resources of others are found", async () => {
  const { clock, lookup } = setUp();
  for (let index = 0; index < 3_000; index += 1) lookup.get(`made-up-${index}`);
  await clock.advance(100);
  expect(lookup.get(name)).toBe("pending");
  await clock.advance(100);
  for (let index = 0; index < 3_000; index += 1) lookup.get(`more-${index}`);
  await clock.advance(100);
  expect(lookup.get(name)).toBe(ingresses);
});

test("a name that is asked for again stays, and is looked up once a minute", async () => {
  const { clock, asked, lookup } = setUp();
  lookup.get("gone");
  await clock.advance(100);
  for (let index = 0; index < 3_000; index += 1) {
    lookup.get(`made-up-${index}`);
    if (index % 500 === 0) lookup.get("gone");
  }
  await clock.advance(100);
  expect(lookup.get("gone")).toBe("unknown");
  expect(asked.filter((wanted) => wanted === "gone")).toHaveLength(1);
  await clock.advance(60_000);
  lookup.get("gone");
  await clock.advance(100);
  expect(asked.filter((wanted) => wanted === "gone")).toHaveLength(2);
});
