import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { freePort } from "@plimsoll/component-base/testing";
import { expect, test } from "vitest";

const file = fileURLToPath(new URL("../../src/testing/free-port.ts", import.meta.url));
/** As many random ports of 12,000 have twins among each other, and among those of another process. */
const count = 300;

test("no port is given out twice, neither in this process nor in another", async () => {
  const own: number[] = [];
  for (let taken = 0; taken < count; taken += 1) own.push(await freePort());
  const script = `
    const { freePort } = await import(${JSON.stringify(file)});
    const ports = [];
    for (let taken = 0; taken < ${count}; taken += 1) ports.push(await freePort());
    console.log(JSON.stringify(ports));
    process.exit();
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script]);
  const all = [...own, ...(JSON.parse(stdout) as readonly number[])];
  expect(all).toHaveLength(2 * count);
  expect(new Set(all).size).toBe(2 * count);
});
