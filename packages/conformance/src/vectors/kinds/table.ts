// Every kind that an implementation can be asked.
import { behaviorKind } from "./behavior.ts";
import { cronHpaKind, cronNextKind } from "./cron.ts";
import type { VectorKind } from "./kind.ts";
import { conversionKind, defaultingKind } from "./objects.ts";
import { proposalKind } from "./proposal.ts";
import { quantityKind } from "./quantity.ts";
import { trajectoryKind } from "./trajectory.ts";
import { validationKind } from "./validation.ts";

/** By their names in files. */
export const vectorKinds: ReadonlyMap<string, VectorKind> = new Map([
  ["quantity", quantityKind],
  ["proposal", proposalKind],
  ["behavior", behaviorKind],
  ["trajectory", trajectoryKind],
  ["validation", validationKind],
  ["defaulting", defaultingKind],
  ["conversion", conversionKind],
  ["cron-hpa", cronHpaKind],
  ["cron-next", cronNextKind],
]);
