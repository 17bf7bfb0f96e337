import { appendFile } from "node:fs/promises";
import { connect as connectTo, createServer } from "node:net";
import { startNameServer, whyNoNameServer } from "@plimsoll/component-base/testing";
import { eventually, testFolder } from "@plimsoll/testbed/world";
import { expect, onTestFinished, test } from "vitest";
import { startWorld } from "./world.ts";

const whyNot = whyNoNameServer();

test("a resolver that never responds: 503, health and reloads go on, and values come once it responds", async ({
  skip,
}) => {
  skip(whyNot !== undefined, whyNot);
  const folder = testFolder();
  const names = await startNameServer(folder);
  onTestFinished(() => names.close());
  const world = await startWorld({
    prefix: names.prefix,
    prometheusUrl: (real) => real.replace("127.0.0.1", "prometheus.faults.example"),
    waits: false,
  });
  await eventually(() => expect(names.queries).toBeGreaterThan(2));
  const some = await Promise.all(Array.from({ length: 10 }, () => world.value("queue")));
  expect(new Set(some.map(({ code }) => code))).toEqual(new Set([503]));
  expect((await world.get("/healthz")).code).toBe(200);
  await appendFile(world.rulesFile, "# one line more\n");
  await eventually(() =>
    expect(world.lines().some((line) => line.includes("rules file changed"))).toBe(true),
  );
  names.answer("127.0.0.1");
  await eventually(async () => expect((await world.value("queue")).code).toBe(200));
});

test("a Prometheus that has an IPv6 address alone is reached at it", async () => {
  const proxy = createServer();
  await new Promise<void>((resolve) => {
    proxy.listen(0, "::1", resolve);
  });
  onTestFinished(() => {
    proxy.close();
  });
  const address = proxy.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const world = await startWorld({
    prometheusUrl(real) {
      proxy.on("connection", (socket) => {
        const to = connectTo(Number(new URL(real).port), "127.0.0.1");
        socket.on("error", () => to.destroy());
        to.on("error", () => socket.destroy());
        socket.pipe(to).pipe(socket);
      });
      return `http://[::1]:${port}`;
    },
  });
  expect((await world.value("queue")).code).toBe(200);
});
