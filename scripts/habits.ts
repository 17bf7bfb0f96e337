// Refuses files of the product that do not open with a sentence, and sleeping tests.
import { opensWithSentence } from "./house/comments.ts";
import { findReplicaFormulas } from "./house/replica-formulas.ts";
import { findHooksOfOneFile, findLimits, findSleeps, findUnbounded } from "./house/tests.ts";
import { readCommandLine } from "./source/command-line.ts";
import { isProduct, readPackages, root } from "./source/files.ts";

const usage = `node scripts/habits.ts

Refuses files of the product that do not open with a sentence, and tests that sleep.`;
readCommandLine(usage, {});

const sources = readPackages();
const complaints = [
  ...sources
    .filter((source) => isProduct(source.path) && !opensWithSentence(source))
    .map(({ path }) => `${path}: does not open with a sentence that says what it is`),
  ...findReplicaFormulas(sources).map(
    (place) => `${place}: computes replicas from a ratio to a target; let decide of the core do it`,
  ),
  ...findSleeps(root).map(
    (place) => `${place}: waits for time and not for a condition; say why in the line above`,
  ),
  ...findLimits(root).map(
    (place) => `${place}: has a limit of its own; leave it to the whole test, or say why in the line above`,
  ),
  ...findHooksOfOneFile(root).map(
    (place) => `${place}: counts only for the first file that loads it; call it in a function`,
  ),
  ...findUnbounded(root).map(
    (place) => `${place}: has no budget; call assertProperty of @plimsoll/properties`,
  ),
];
for (const complaint of complaints) console.log(complaint);
if (complaints.length > 0) process.exitCode = 1;
