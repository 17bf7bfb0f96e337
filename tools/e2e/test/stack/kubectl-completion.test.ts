// `kubectl plimsoll` as npm installs it, and its completion, through a user's kubectl.
import { execFile } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { findKubectl } from "@plimsoll/testbed";
import { fileFolder } from "@plimsoll/testbed/world";
import { beforeAll, describe, expect, test } from "vitest";
import { local } from "../fixture.ts";

const run = promisify(execFile);
// kubectl is the user's own program, and nothing here can bring it along.
const isMissing = findKubectl("") === undefined;

describe.skipIf(isMissing)("the plugin in a user's kubectl", () => {
  const folder = fileFolder();
  let env: NodeJS.ProcessEnv;

  beforeAll(async () => {
    const bin = join(folder, "bin");
    mkdirSync(bin);
    await run(process.execPath, [local("../../release/src/images/package-cli.ts"), join(folder, "package")]);
    // As npm links them, for the Node of this test.
    symlinkSync(process.execPath, join(bin, "node"));
    for (const name of ["plimsoll", "kubectl-plimsoll"]) {
      symlinkSync(join(folder, "package", "bin", `${name}.cjs`), join(bin, name));
    }
    env = { PATH: [bin, process.env["PATH"]].join(delimiter), KUBECONFIG: "/dev/null", HOME: folder };
    await run("plimsoll", ["completion", "--install", bin], { env });
  });

  const kubectl = async (...args: readonly string[]): Promise<string> =>
    (await run("kubectl", [...args], { env })).stdout;

  test("kubectl runs the plugin, which shows itself under kubectl's name", async () => {
    expect(await kubectl("plimsoll", "rules", "query", "--help")).toContain(
      "Usage: kubectl plimsoll rules query [options] <METRIC>",
    );
  });

  test("kubectl completes commands, their commands and flags", async () => {
    expect(await kubectl("__complete", "plimsoll", "rep")).toBe("replay\n:4\n");
    expect(await kubectl("__complete", "plimsoll", "rules", "")).toBe("check\ntest\nquery\n:4\n");
    expect(await kubectl("__complete", "plimsoll", "replay", "--sem")).toBe("--semantics\n:4\n");
    expect(await kubectl("__complete", "plimsoll", "replay", "")).toBe(":0\n");
  });
});
