// Generates one random case of any kind from a seed.
import { createRandom, type Random } from "../random.ts";
import { type Release, usualRelease, versionsOf } from "../release.ts";
import type { Kind, VectorCase } from "../vector-file.ts";
import { behaviorCase } from "./behavior.ts";
import { conversionCase } from "./conversion.ts";
import { validationCase } from "./damage.ts";
import { decisionCase } from "./decision.ts";
import { defaultingCase } from "./defaulting.ts";
import { manifestCase } from "./manifest.ts";
import { proposalCase } from "./proposal.ts";
import { quantityCase } from "./quantity.ts";
import { recordCase } from "./record.ts";
import { trajectoryCase } from "./trajectory.ts";

const generators: Readonly<Record<Kind, (random: Random, name: string, release: Release) => VectorCase>> = {
  quantity: quantityCase,
  proposal: proposalCase,
  behavior: behaviorCase,
  trajectory: trajectoryCase,
  validation: validationCase,
  defaulting: defaultingCase,
  conversion: (random, name, release) => conversionCase(random, name, versionsOf(release)),
  decision: decisionCase,
  manifest: manifestCase,
  record: recordCase,
};

/** Case number `index` of a seed; it does not depend on the cases before it. */
export function someCase(
  kind: Kind,
  seed: string,
  index: number,
  release: Release = usualRelease,
): VectorCase {
  const random = createRandom(`${seed}/${kind}/${index}`);
  const name = `seed ${seed}, ${kind} ${index}`;
  return generators[kind](random, name, release);
}
