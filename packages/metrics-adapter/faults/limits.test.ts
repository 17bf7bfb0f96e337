import { connect, type Socket } from "node:net";
import { createControlGroup, limitOpenFiles, whyNoControlGroups } from "@plimsoll/component-base/testing";
import type { FakeReply } from "@plimsoll/prometheus/testing";
import { eventually } from "@plimsoll/testbed/world";
import { expect, onTestFinished, test } from "vitest";
import { healthy, startWorld, type World } from "./world.ts";

const mebibyte = 1024 * 1024;
const whyNot = whyNoControlGroups();
const notLinux = process.platform === "linux" ? undefined : "what a process has open is read from /proc";

/** The group goes when the process has. */
function group(limits: Parameters<typeof createControlGroup>[0]) {
  const made = createControlGroup(limits);
  onTestFinished(() => eventually(() => made.remove()));
  return made;
}

async function answers(world: World): Promise<void> {
  const { code, text } = await world.value("queue");
  expect([code, text]).toEqual([200, expect.stringContaining('"value":"7"')]);
}

const filler = Buffer.alloc(mebibyte, " ");
const endless: FakeReply = (response) => {
  response.writeHead(200, { "content-type": "application/json" });
  response.write('{"status":"success","data":');
  const more = (): void => {
    while (!response.destroyed && response.write(filler));
  };
  response.on("drain", more);
  more();
};

test("with half a GiB it survives many endless responses", async ({ skip }) => {
  skip(whyNot !== undefined, whyNot);
  const { prefix } = group({ memoryBytes: 512 * mebibyte });
  const world = await startWorld({ prefix });
  world.prometheus.handle((request) =>
    request.parameters.get("query")?.includes("hostile") === true ? endless : healthy(request),
  );
  const hostile = Array.from({ length: 40 }, (_, n) => world.value("hostile", `n=a${n}`));
  expect(new Set((await Promise.all(hostile)).map(({ code }) => code))).toEqual(new Set([503]));
  await eventually(() => answers(world));
});

test("with 256 MiB it lives through hundreds of long requests that are all different", async ({ skip }) => {
  skip(whyNot !== undefined, whyNot);
  const { prefix } = group({ memoryBytes: 256 * mebibyte });
  const world = await startWorld({ prefix });
  const long = "x".repeat(50);
  for (let n = 0; n < 8; n++) {
    const many = Array.from({ length: 50 }, (_, m) => {
      const values = Array.from({ length: 200 }, (_, at) => `${long}${n}-${m}-${at}`);
      return world.value("queue", `name in (${values.join(",")})`);
    });
    const codes = (await Promise.all(many)).map(({ code }) => code);
    expect(codes.filter((code) => code !== 200 && code !== 429)).toEqual([]);
  }
  await eventually(() => answers(world));
});

test("with a tenth of a processor requests get a response or are refused, and all is as before afterwards", async ({
  skip,
}) => {
  skip(whyNot !== undefined, whyNot);
  const starved = group({ cpuPercent: 100 });
  const world = await startWorld({ prefix: starved.prefix });
  starved.set({ cpuPercent: 10 });
  const codes = new Set<number>();
  for (let n = 0; n < 5; n++) {
    const some = await Promise.all(Array.from({ length: 10 }, () => world.value("queue")));
    for (const { code } of some) codes.add(code);
  }
  expect([...codes].filter((code) => ![200, 429, 503, 504].includes(code))).toEqual([]);
  expect((await world.get("/healthz")).code).toBe(200);
  starved.set({ cpuPercent: 100 });
  await eventually(() => answers(world));
});

test("without a free file descriptor the process does not end, and requests get a response again afterwards", async ({
  skip,
}) => {
  skip(notLinux !== undefined, notLinux);
  const world = await startWorld();
  const free = limitOpenFiles(world.pid);
  const sockets: Socket[] = [];
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  for (let n = 0; n < 50; n++) {
    const socket = connect(world.port, "127.0.0.1");
    socket.on("error", () => {});
    sockets.push(socket);
  }
  await eventually(() => expect(sockets.every(({ connecting }) => !connecting)).toBe(true));
  free();
  for (const socket of sockets) socket.destroy();
  await eventually(() => answers(world));
});

test("a process that was stopped for longer than its deadlines serves the next requests", async () => {
  const world = await startWorld();
  const asked = Promise.allSettled(Array.from({ length: 10 }, () => world.value("queue")));
  world.kill("SIGSTOP");
  const meanwhile = Promise.allSettled(Array.from({ length: 10 }, () => world.value("queue")));
  // The process is stopped for longer than its clients and its peers wait.
  await new Promise((resolve) => setTimeout(resolve, 12_000));
  world.kill("SIGCONT");
  await Promise.all([asked, meanwhile]);
  expect((await world.value("queue")).code).toBe(200);
});
