// The cases of all rules, by id.
import { bounds } from "./bounds.ts";
import type { Case } from "./case.ts";
import { metrics } from "./metrics.ts";
import { operation } from "./operation.ts";
import { targets } from "./targets.ts";

export const cases: Readonly<Record<string, Case>> = { ...targets, ...metrics, ...bounds, ...operation };
