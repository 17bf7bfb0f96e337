// The output of `plimsoll rules test`.
import { documentText } from "../../output/document.ts";
import { printable } from "../../printable.ts";
import type { RulesTestDocument } from "./document.ts";
import type { TestResult } from "./run.ts";
import type { Expected, ExpectedItem } from "./test-file.ts";

/** One test: a line, and where it failed what was expected and what came. */
export function resultLines({ name, get, ok, expected, got }: TestResult): string {
  const headline = `${ok ? "ok    " : "FAILED"}  ${name}  ${get}`;
  const lines = ok ? [headline] : [headline, ...side("expected", expected), ...side("got", got)];
  return `${lines.map(printable).join("\n")}\n`;
}

/** Such as "2 tests: 1 passed, 1 failed". */
export function totalLine(results: readonly TestResult[]): string {
  const passed = results.filter(({ ok }) => ok).length;
  const failed = results.length - passed;
  return `${results.length} test${results.length === 1 ? "" : "s"}: ${passed} passed, ${failed} failed\n`;
}

/** The machine's form; its fields are only ever added to. */
export function testDocument(
  results: readonly TestResult[],
  format: "json" | "yaml",
  more: { readonly at: string; readonly notes: readonly string[] },
): string {
  const passed = results.filter(({ ok }) => ok).length;
  const failed = results.length - passed;
  const { at, notes } = more;
  const document: RulesTestDocument = {
    schema: "plimsoll/rules-test/v1",
    at,
    tests: results,
    passed,
    failed,
    notes,
    errors: [],
  };
  return documentText(document, format);
}

function side(name: string, values: Expected): readonly string[] {
  const texts = "error" in values ? [`error ${values.error}`] : values.map(itemText);
  return (texts.length === 0 ? ["nothing"] : texts).map(
    (text, index) => `        ${(index === 0 ? name : "").padEnd(10)}${text}`,
  );
}

function itemText(item: ExpectedItem): string {
  const labels = Object.entries(item).filter(([key]) => key !== "value");
  return [...labels.map(([key, value]) => `${key}=${value}`), item["value"] ?? ""].join("  ");
}
