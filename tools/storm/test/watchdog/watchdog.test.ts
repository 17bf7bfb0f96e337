import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const program = fileURLToPath(new URL("./endless.ts", import.meta.url));

test("an endless chain of promise jobs is interrupted, and fails the run", async () => {
  const args = ["--conditions=@plimsoll/source", program];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  expect(JSON.parse(stdout)).toMatchObject({
    invariant: "progress",
    message: expect.stringMatching(/^the promise jobs of step \d+ of the simulation did not end/) as string,
  });
});
