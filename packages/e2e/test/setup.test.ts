import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { runToEnd } from "../src/stack/run-to-end.ts";

const setup = fileURLToPath(new URL("../../../scripts/setup.mjs", import.meta.url));

test("a Prometheus that is not there is one line with the remedy, and nothing runs", async () => {
  const ending = await runToEnd(process.execPath, [setup, "--prometheus", "--", "echo", "the command ran"], {
    PROMETHEUS: "/no/such/prometheus",
  });
  expect(ending.code).toBe(1);
  expect(ending.stdout).toBe("");
  expect(ending.stderr.trim().split("\n").at(-1)).toMatch(
    /^plimsoll: PROMETHEUS=\/no\/such\/prometheus is not a program; .*apt-get install prometheus.*brew.*docker/,
  );
  expect(ending.stderr).not.toMatch(/\n\s+at /);
});

test("the exit code of the command is the exit code of the run", async () => {
  const ending = await runToEnd(process.execPath, [setup, "--", "node", "-e", "process.exit(7)"]);
  expect(ending.code).toBe(7);
});
