// Generates random objects with mistakes for validation to find.
import type { Random } from "../random.ts";
import type { VectorCase } from "../vector-file.ts";
import { damages } from "./damage.ts";
import { type Json, someHpa } from "./hpa.ts";

export function validationCase(random: Random, name: string): VectorCase {
  const hpa = random.chance(0.85) ? complete(someHpa(random)) : someHpa(random);
  const count = random.weighted([
    [2, 0],
    [6, 1],
    [3, 2],
    [2, random.int(3, 5)],
  ]);
  for (let left = count; left > 0; left -= 1) random.pick(damages)(random, hpa);
  // Damages may set a member to undefined; what is not in the file is not in the case.
  return { name, scaleToZero: random.chance(0.5), hpa: JSON.parse(JSON.stringify(hpa)) };
}

/** Validation sees objects after defaulting; what it says of half-filled ones matters less. */
function complete(hpa: Json): Json {
  const behavior = (hpa["spec"] as Json)["behavior"] as Json | undefined;
  for (const side of ["scaleUp", "scaleDown"]) {
    const rules = behavior?.[side] as Json | undefined;
    if (rules === undefined) continue;
    rules["selectPolicy"] ??= "Max";
    rules["policies"] ??= [{ type: "Percent", value: 100, periodSeconds: 15 }];
  }
  return hpa;
}
