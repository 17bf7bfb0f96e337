import { execFileSync } from "node:child_process";
import { closeSync, constants, openSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";
import { testFolder } from "@plimsoll/testbed/world";
import { expect, onTestFinished, test, vi } from "vitest";
import { createLogOutput } from "../../src/logger/log-output.ts";

const line = `${"x".repeat(999)}\n`;

function temporary(name: string): string {
  const folder = testFolder();
  return join(folder, name);
}

function opened(path: string, flags: number): number {
  const fd = openSync(path, flags, 0o600);
  onTestFinished(() => closeSync(fd));
  return fd;
}

test("lines come out in order, and all of them are there after a flush", async () => {
  const path = temporary("log");
  const output = createLogOutput(opened(path, constants.O_WRONLY | constants.O_CREAT));
  const lines = Array.from({ length: 100 }, (_, n) => `${n}\n`);
  for (const each of lines) output.write(each);
  await output.flush();
  expect(readFileSync(path, "utf8")).toBe(lines.join(""));
  expect(output.lost).toBe(0);
});

test.runIf(process.platform === "linux")(
  "a pipe that is not read loses lines beyond a mebibyte, and takes new ones once it is read",
  async () => {
    const path = temporary("pipe");
    execFileSync("mkfifo", [path]);
    const reader = opened(path, constants.O_RDWR | constants.O_NONBLOCK);
    const output = createLogOutput(opened(path, constants.O_WRONLY));
    for (let n = 0; n < 2000; n++) output.write(line);
    expect(output.lost).toBeGreaterThan(900);
    await output.flush(50);
    const lost = output.lost;
    const chunk = Buffer.alloc(65_536);
    let read = 0;
    await vi.waitUntil(
      () => {
        read += readSome(reader, chunk);
        return read >= (2000 - lost) * line.length;
      },
      // Nearly as long as a test may take.
      { interval: 2, timeout: 100_000 },
    );
    output.write("last\n");
    await output.flush();
    expect(chunk.toString("utf8", 0, readSome(reader, chunk))).toBe("last\n");
    expect(output.lost).toBe(lost);
  },
);

test.runIf(process.platform === "linux")("a full disk loses lines, and no call fails or waits", async () => {
  const output = createLogOutput(opened("/dev/full", constants.O_WRONLY));
  for (let n = 0; n < 2000; n++) output.write(line);
  await output.flush(50);
  output.write(line);
  expect(output.lost).toBeGreaterThan(900);
});

function readSome(fd: number, into: Buffer): number {
  try {
    return readSync(fd, into);
  } catch {
    return 0;
  }
}
