import { expect, test } from "vitest";
import { withConditionCode, withStartupCode } from "../../src/catalog/index.ts";

test("a line that says why a process does not start ends with its code", () => {
  expect(withStartupCode("cannot read the rules file: a.yaml: there is no such file")).toBe(
    "cannot read the rules file: a.yaml: there is no such file (PLM4010)",
  );
  expect(withStartupCode("unknown flag: --x")).toBe("unknown flag: --x (PLM4001)");
});

test("a condition's message ends with the code of its reason, where that is ours", () => {
  expect(withConditionCode("InvalidSpec", "spec.maxReplicas is missing")).toBe(
    "spec.maxReplicas is missing (PLM5001)",
  );
  expect(withConditionCode("FailedGetScale", "the scale cannot be read")).toBe("the scale cannot be read");
});
