import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { compileQuery, createWindows } from "../../src/index.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;
const fat = "x".repeat(60_000);

function heapMb(): number {
  collect();
  return process.memoryUsage().heapUsed / 1_000_000;
}

test.each([
  ["labels", (pod: number, n: number) => `load{n="${pod} ${n}",text="${fat}"} 1`],
  ["names of labels without a value", (pod: number, n: number) => `load{n="${pod} ${n}",${fat}=""} 1`],
  [
    "spellings of one series",
    (_: number, n: number) => `load${" ".repeat(60_000 + n)}{text="a-long-value"} 1`,
  ],
  ["blanks before a value", (_: number, n: number) => `load{text="a-long-value-${n}"}${" ".repeat(60_000)}1`],
  [
    "series that no query wants",
    (pod: number, n: number) => `load{not="wanted",n="${pod} ${n}",text="${fat}"} 1`,
  ],
])("hundreds of pods with long %s take little memory", (_, lineOf) => {
  const plan = compileQuery('sum(rate(load{not=""}[5s]))');
  if (!plan.ok) throw new Error(plan.message);
  const open = createWindows({ series: 10_000, samples: 640_000, labelBytes: 2_000_000 });
  const before = heapMb();
  const windows = Array.from({ length: 10 }, () => open({ namespace: "shop" }));
  for (const window of windows) {
    window.want([plan]);
    for (let pod = 0; pod < 20; pod++) {
      const name = `pod-${pod}`;
      const page = window.open(
        { key: name, pod: name, isReady: true, container: "main", origin: "", path: "" },
        1,
      );
      page.start("text/plain");
      for (let n = 0; n < 4; n++) page.push(Buffer.from(`${lineOf(pod, n)}\n`));
      page.end();
    }
  }
  // The pages have 48 MB.
  expect(heapMb() - before).toBeLessThan(15);
  for (const window of windows) window.close();
});
