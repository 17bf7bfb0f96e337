import { parseFieldSelector } from "@plimsoll/kube";
import { expect, test } from "vitest";

test("field selectors", () => {
  const selector = parseFieldSelector("status.phase!=Failed,metadata.name==a\\,b,");
  expect(selector.requirements).toEqual([
    { field: "metadata.name", operator: "=", value: "a,b" },
    { field: "status.phase", operator: "!=", value: "Failed" },
  ]);
  expect(selector.toString()).toBe("metadata.name=a\\,b,status.phase!=Failed");
  const pod: Record<string, string> = { "metadata.name": "a,b", "status.phase": "Running" };
  expect(selector.matches((field) => pod[field] ?? "")).toBe(true);
  expect(selector.matches((field) => ({ ...pod, "status.phase": "Failed" })[field] ?? "")).toBe(false);
  expect(parseFieldSelector("").matches(() => "")).toBe(true);
  expect(() => parseFieldSelector("nonsense")).toThrow(
    "invalid selector: 'nonsense'; can't understand 'nonsense'",
  );
  expect(() => parseFieldSelector("a=b\\c")).toThrow("invalid field selector: invalid escape sequence: \\c");
});

test("ten thousand requirements on fields look at each field once", () => {
  const manyKeys = Array.from({ length: 10_000 }, (_, at) => `k${String(at)}`);
  const text = manyKeys.map((name) => `metadata.name!=${name}`).join();
  const asked: string[] = [];
  const valueOf = (field: string) => {
    asked.push(field);
    return "other";
  };
  expect(parseFieldSelector(text).matches(valueOf)).toBe(true);
  expect(asked).toEqual(["metadata.name"]);
  expect(parseFieldSelector(text).matches(() => "k77")).toBe(false);
  expect(parseFieldSelector("a=b,a=c").matches(() => "b")).toBe(false);
  expect(parseFieldSelector("a=b,a==b").matches(() => "b")).toBe(true);
});
