import { expect, test } from "vitest";
import { root } from "../../src/plants/campaign.ts";
import { applyPlant, readPlants } from "../../src/plants/patches.ts";

const plants = await readPlants();

test("there are twenty-three planted faults", () => {
  expect(plants.map(({ name }) => name.slice(0, 2))).toEqual(
    Array.from({ length: 23 }, (_, index) => String(index + 1).padStart(2, "0")),
  );
});

test.each(plants)("$name applies to this tree", async (plant) => {
  await expect(applyPlant(plant, root, "check")).resolves.toBeUndefined();
});

test("a name that no planted fault has is an error", async () => {
  await expect(readPlants(["99"])).rejects.toThrow("there is no planted fault 99");
});
