// The lines of `metrics setup` on a narrow terminal.
import { expect, test } from "vitest";
import { printer } from "../../src/commands/metrics/output.ts";
import type { CliSeams } from "../../src/seams.ts";

test("what has no room continues below the text of its line", () => {
  let out = "";
  const say = printer({
    terminal: { isTty: true, columns: 40, isUtf8: true },
    writeOut: (text: string) => (out += text),
  } as unknown as CliSeams);
  say("Found in namespace shop:");
  say("  not used    Kong: no sample of its series for 9 days");
  say("  1. Add the rules to the values of the chart");
  say("     If you may not, save them as a rules file");
  expect(out.split("\n")).toEqual([
    "Found in namespace shop:",
    "  not used    Kong: no sample of its",
    "              series for 9 days",
    "  1. Add the rules to the values of the",
    "     chart",
    "     If you may not, save them as a",
    "     rules file",
    "",
  ]);
});
