// What is remembered of an object before its first decision.
import type { HpaMemory } from "./decision.ts";

export const emptyMemory: HpaMemory = { recommendations: [], scaleUpEvents: [], scaleDownEvents: [] };
