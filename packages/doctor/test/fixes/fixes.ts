// For each rule: what its advice says, applied to the world in which it finds something; or why nothing can be applied.
import type { Fix } from "./apply.ts";
import { boundFixes } from "./bounds.ts";
import { metricFixes } from "./metrics.ts";

/** Each way that the advice names. */
export const fixes: Readonly<Record<string, readonly [Fix, ...Fix[]]>> = { ...metricFixes, ...boundFixes };

/** Advice that no test can apply: why. */
export const notMechanical: Readonly<Record<string, string>> = {
  "PL-005": "the other client has to be told, in its own settings",
  "PL-018": "what serves the API has to be started",
  "PL-022":
    "labels come from the scrape; rules-traps.test.ts of the CLI applies overrides with a real Prometheus",
  "PL-023": "the advice is the command that shows which series there are",
  "PL-024": "only the pods and the scrape show why samples are missing",
  "PL-025": "only the scrape configuration changes how old samples are",
  "PL-033": "needs capacity, or another image",
  "PL-034": "the target's condition goes when its controller creates pods again",
  "PL-037": "the changes of the last 30 minutes stay in the events",
  "PL-045": "the advice names the rules that say what to do",
  "PL-046": "the autoscaler's own pods have to run",
  "PL-047": "the message of the MetricRule says what to change",
  "PL-048": "the other adapter has to be looked at",
  "PL-056":
    "the advice is a command that prints rules; metrics-setup.test.ts of the CLI applies what it prints",
  "PL-051": "Prometheus' message says what to change; rules-traps.test.ts of the CLI applies it",
  "PL-053":
    "the message says what to change; rules-traps.test.ts of the CLI and traps of the rules apply each",
};
