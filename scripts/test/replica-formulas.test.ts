import { expect, test } from "vitest";
import { findReplicaFormulas, replicaFormulas } from "../house/replica-formulas.ts";

test.each([
  "const desired = Math.ceil(replicas * usage / target);",
  "  return Math.ceil(ratio * pods);",
  "const ratio = value / target;",
  "const times = usage / (spec.averageValue * pods);",
])("replicas are computed by the core alone: %s", (line) => {
  expect(replicaFormulas(`begin();\n${line}\n`)).toEqual([2]);
  expect(replicaFormulas(`// As upstream: ${line}\n`)).toEqual([]);
});

test.each([
  "const median = known[Math.ceil(middle)] ?? low;",
  "const syncs = Math.floor(durationMs / periodMs);",
  "const path = `/apis/${target.name}`;",
])("other sums are no formulas of replicas: %s", (line) => {
  expect(replicaFormulas(line)).toEqual([]);
});

test("the floors of a history are meant, and only sources of packages that simulate are looked at", () => {
  const text = "Math.ceil(load / target);";
  const paths = [
    "packages/backtest/src/tune/seasonal.ts",
    "packages/backtest/src/tune/search.ts",
    "packages/backtest/test/tune/tune.test.ts",
    "packages/core/src/decide/replicas/ratio.ts",
  ];
  expect(findReplicaFormulas(paths.map((path) => ({ path, text })))).toEqual([
    "packages/backtest/src/tune/search.ts:1",
  ]);
});
