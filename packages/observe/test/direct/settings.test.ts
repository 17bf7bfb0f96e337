// What is known of the built-in controller's options, and what is assumed.
import { defaultOptions } from "@plimsoll/core";
import { expect, test } from "vitest";
import { settingsFrom } from "../../src/direct/controller-options.ts";

const prefix = "--horizontal-pod-autoscaler";

test("arguments count, the last of equal ones, and nothing is assumed", () => {
  const args = [
    "kube-controller-manager",
    `${prefix}-tolerance=0.3`,
    `${prefix}-tolerance=0.2`,
    `${prefix}-downscale-stabilization=1m30s`,
    `${prefix}-cpu-initialization-period=2m`,
    `${prefix}-initial-readiness-delay=10s`,
    `${prefix}-sync-period=5s`,
    "--feature-gates=HPAScaleToZero=false,Other=true",
  ];
  expect(settingsFrom(args, 37)).toEqual({
    options: {
      ...defaultOptions,
      tolerance: 0.2,
      downscaleStabilizationMs: 90_000,
      cpuInitializationPeriodMs: 120_000,
      initialReadinessDelayMs: 10_000,
      scaleToZero: false,
    },
    syncPeriodMs: 5_000,
    assumptions: [],
  });
});

test.each([
  ["in two words", ["kube-controller-manager", `${prefix}-tolerance`, "0.2", `${prefix}-sync-period`, "5s"]],
  [
    "in a line of a shell",
    ["/bin/sh", "-c", `exec kcm ${prefix}-tolerance=0.2 ${prefix}-sync-period=5s 1>>/log`],
  ],
])("arguments count %s", (_, args) => {
  const { options, syncPeriodMs } = settingsFrom(args, 37);
  expect([options.tolerance, syncPeriodMs]).toEqual([0.2, 5_000]);
});

test("without arguments the defaults are assumed, each by name", () => {
  const { options, syncPeriodMs, assumptions } = settingsFrom(undefined, 37);
  expect([options, syncPeriodMs]).toEqual([defaultOptions, 15_000]);
  expect(assumptions).toEqual(
    [
      ["tolerance", "0.1"],
      ["downscale stabilization", "5m"],
      ["CPU initialization period", "5m"],
      ["initial readiness delay", "30s"],
      ["sync period", "15s"],
    ].map(([about, value]) => ({ about, value, why: "cannot read the controller's flags", isFlag: true })),
  );
});

test("an argument without its value, and one of another kind, leaves the default", () => {
  const { options, assumptions } = settingsFrom(
    [`${prefix}-tolerance=`, `${prefix}-downscale-stabilization=x`],
    37,
  );
  expect([options.tolerance, options.downscaleStabilizationMs, assumptions]).toEqual([0.1, 300_000, []]);
});

test.each([
  [36, [], false],
  [36, ["--feature-gates=HPAScaleToZero=true"], true],
  [36, undefined, true],
  [37, [], true],
  [undefined, [], true],
])("a controller of 1.%s with the arguments %j scales to zero: %s", (minor, args, expected) => {
  expect(settingsFrom(args, minor).options.scaleToZero).toBe(expected);
});

test("what is given is not assumed", () => {
  const given = { tolerance: 0.5, syncPeriodMs: 1_000, semantics: "1.32" as const };
  const { options, syncPeriodMs, assumptions } = settingsFrom(undefined, undefined, given);
  expect([options.tolerance, options.semantics, syncPeriodMs]).toEqual([0.5, "1.32", 1_000]);
  expect(assumptions.map(({ about }) => about)).toEqual([
    "downscale stabilization",
    "CPU initialization period",
    "initial readiness delay",
  ]);
});

test.each([
  [undefined, "1.37", ["semantics"]],
  [30, "1.32", []],
  [32, "1.32", []],
  [33, "1.35", []],
  [34, "1.35", []],
  [35, "1.35", []],
  [36, "1.36", []],
  [37, "1.37", []],
  [38, "1.38", []],
  [39, "1.38", []],
] as const)("rules of a server 1.%s are those of %s", (minor, semantics, assumed) => {
  const { options, assumptions } = settingsFrom([], minor);
  expect(options.semantics).toBe(semantics);
  expect(assumptions.map(({ about }) => about)).toEqual(assumed);
});
