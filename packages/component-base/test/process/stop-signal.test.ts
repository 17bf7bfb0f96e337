import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

test.each([
  ["the first signal lets a process end by itself", "clearInterval(alive);", 0],
  ["a second one, of any kind, ends it at once", 'process.kill(process.pid, "SIGINT");', 1],
])("%s", (_, then, expected) => {
  const module = new URL("../../src/process/program.ts", import.meta.url).href;
  const script = `
    import { stopSignal } from ${JSON.stringify(module)};
    const stopping = stopSignal();
    const alive = setInterval(() => {}, 1000);
    process.kill(process.pid, "SIGTERM");
    process.stdout.write(await stopping);
    ${then}`;
  const { status, stdout } = spawnSync(process.execPath, ["--input-type=module", "--eval", script], {
    encoding: "utf8",
  });
  expect({ status, stdout }).toEqual({ status: expected, stdout: "SIGTERM" });
});
