// Changes the code in one place at a time, and looks whether a test fails.
import { equivalentOf } from "./mutation/mutants.ts";
import { mutate } from "./mutation/run.ts";
import { goalOf, goalOfPackages, nameOf, packages, type Scope, wholeFolders } from "./mutation/scope.ts";
import { type Counts, count, line, scoreOf, sum } from "./mutation/score.ts";
import { readCommandLine } from "./source/command-line.ts";
import { root } from "./source/files.ts";

const usage = `npm run task -- mutation [--package NAME]… [--folder src/FOLDER] [--percent P] [--seed S] [--concurrency N] [--force]

Changes the code in one place at a time, and runs the tests that run this place, of its package and of some above it. A
change that no test notices survives, and is printed. Without a package it tries every mutant of ${wholeFolders.map(nameOf).join(", ")},
and a sample of each package that decides or writes. Ends with exit code 1 if a score is below its goal.

  --package NAME   one of ${packages.join(", ")}; may be repeated
  --folder FOLDER  only this folder of the package, such as src/leases
  --percent P      the percentage of mutants to try; 100 when a folder is named, else 0.5
  --seed S         draws the sample; 1 when absent
  --concurrency N  how many tests run at a time; 2 when absent
  --force          tries mutants again that have a result from the last run`;

const { values } = readCommandLine(usage, {
  package: { type: "string", multiple: true },
  folder: { type: "string", default: "src" },
  percent: { type: "string" },
  seed: { type: "string", default: "1" },
  concurrency: { type: "string", default: "2" },
  force: { type: "boolean", default: false },
});

const percent = Number(values.percent ?? (values.folder === "src" ? 0.5 : 100));
const sample = percent >= 100 ? undefined : { percent, seed: Number(values.seed) };
const unknown = values.package?.find((name) => !packages.includes(name));
if (unknown !== undefined || !(percent > 0)) {
  console.error(
    unknown === undefined
      ? "--percent must be more than 0"
      : `--package ${unknown} is not one of ${packages.join(", ")}`,
  );
  process.exit(2);
}
process.chdir(root);

const sampled: readonly Scope[] = (values.package ?? packages).map((packageName) => ({
  packageName,
  folder: values.folder,
  sample,
}));
const results: (readonly [scope: Scope, counts: Counts])[] = [];
for (const scope of [...(values.package === undefined ? wholeFolders : []), ...sampled]) {
  console.log(nameOf(scope));
  results.push([scope, await countsOf(scope)]);
}

console.log("");
for (const [scope, counts] of results) console.log(line(nameOf(scope), counts, scope.sample !== undefined));
const goals = results.map(([scope, counts]) => [nameOf(scope), counts, goalOf(scope)] as const);
if (sampled.length > 1) {
  const all = sum(results.filter(([scope]) => sampled.includes(scope)).map(([, counts]) => counts));
  console.log(line("all of these packages", all, sample !== undefined));
  goals.push(["all of these packages", all, goalOfPackages]);
}
for (const [name, counts, goal = 0] of goals) {
  if ((scoreOf(counts) ?? 100) >= goal) continue;
  console.log(`${name} is below its goal of ${goal} %`);
  process.exitCode = 1;
}

async function countsOf(scope: Scope): Promise<Counts> {
  try {
    const mutants = await mutate(scope, { concurrency: Number(values.concurrency), isForced: values.force });
    return count(mutants.map((one) => ({ ...one, isEquivalent: equivalentOf(one) !== undefined })));
  } catch (error) {
    // Stryker has printed which tests fail without any change.
    console.error(`mutation: ${error instanceof Error ? error.message : String(error)}`);
    process.exit(2);
  }
}
