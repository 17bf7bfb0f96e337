import { execFile } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { prometheusProgram } from "@plimsoll/testbed";
import { expect, test } from "vitest";
import { local } from "../fixture.ts";

const run = promisify(execFile);
const alerts = local("../../../deploy/alerts/");

/** Comes with Prometheus; where it does not lie beside it, it is on the PATH. */
function promtool(): string {
  const beside = join(dirname(prometheusProgram()), "promtool");
  try {
    accessSync(beside, constants.X_OK);
    return beside;
  } catch {
    return "promtool";
  }
}

test("promtool finds nothing wrong with the rules", async () => {
  const { stdout } = await run(promtool(), ["check", "rules", join(alerts, "plimsoll.rules.yaml")]);
  expect(stdout).toMatch(/SUCCESS: \d+ rules found/);
});

test("each alert fires on the series it is meant for, with its words, and not on others", async () => {
  const { stdout } = await run(promtool(), ["test", "rules", join(alerts, "tests", "plimsoll.test.yaml")]);
  expect(stdout).toContain("SUCCESS");
});
