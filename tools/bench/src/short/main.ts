// npm run bench -- short: catches what has become twice as expensive, by ratios to a floor of the same run. Bounds are so wide that
// a busy machine does not matter, and no time is compared with a fixed one.
import { parseArgs } from "node:util";
import { openSession } from "../goals/session.ts";
import { type Check, isWithin, lineOf, measurePart } from "./check.ts";
import { measureDecisions } from "./decision.ts";
import { measurePeriods } from "./periods.ts";
import { measureRequests } from "./requests.ts";

const { values } = parseArgs({ options: { only: { type: "string", default: "" } } });

const parts: Readonly<Record<string, () => Promise<readonly Check[]> | readonly Check[]>> = {
  decisions: measureDecisions,
  requests: () => measureRequests(session),
  periods: () => measurePeriods(session),
};

const session = openSession();
const checks: Check[] = [];
for (const signal of ["SIGINT", "SIGTERM"])
  process.once(signal, () => void session.close().finally(() => process.exit(1)));
try {
  for (const [name, measure] of Object.entries(parts)) {
    if (!name.includes(values.only)) continue;
    for (const check of await measurePart(measure)) {
      checks.push(check);
      console.log(lineOf(check));
    }
  }
} finally {
  await session.close();
}
const over = checks.filter((check) => !isWithin(check));
console.log(`${checks.length - over.length} passed, ${over.length} failed`);
process.exit(over.length === 0 && checks.length > 0 ? 0 : 1);
