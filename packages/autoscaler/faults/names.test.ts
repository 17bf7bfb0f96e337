import { connect, createServer } from "node:net";
import { startNameServer, whyNoNameServer } from "@plimsoll/component-base/testing";
import { eventually, testFolder } from "@plimsoll/testbed/world";
import { expect, onTestFinished, test } from "vitest";
import { replicasOf } from "../test/faults/metric-kinds.ts";
import { addObject, asked, setLoad, startWorld } from "./world.ts";

const whyNot = whyNoNameServer();

test("a resolver that stops responding: open connections go on, and all does once it responds", async ({
  skip,
}) => {
  skip(whyNot !== undefined, whyNot);
  const folder = testFolder();
  const names = await startNameServer(folder);
  onTestFinished(() => names.close());
  names.answer("127.0.0.1");
  const { api } = await startWorld(["shop"], {
    prefix: names.prefix,
    server: (real) => real.replace("127.0.0.1", "kubernetes.faults.example"),
  });
  names.answer(undefined);
  setLoad(api, "shop", 60);
  await eventually(() => expect(replicasOf(api, "shop")).toBe(6));
  const before = names.queries;
  api.cutWatches();
  addObject(api, "late");
  await eventually(() => expect(names.queries + asked(api, "late")).toBeGreaterThan(before));
  names.answer("127.0.0.1");
  await eventually(() => expect(asked(api, "late")).toBeGreaterThan(0));
  setLoad(api, "late", 60);
  await eventually(() => expect(replicasOf(api, "late")).toBe(6));
});

test("an API server that has an IPv6 address alone is reached at it, and ports are served on one", async () => {
  let target = 0;
  const proxy = createServer((socket) => {
    const to = connect(target, "127.0.0.1");
    socket.on("error", () => to.destroy());
    to.on("error", () => socket.destroy());
    socket.pipe(to).pipe(socket);
  });
  await new Promise<void>((resolve) => {
    proxy.listen(0, "::1", resolve);
  });
  onTestFinished(() => {
    proxy.close();
  });
  const address = proxy.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const world = await startWorld(["shop"], {
    flags: ["--leader-elect=false", "--bind-address=::1"],
    server(real) {
      target = Number(new URL(real).port);
      return `http://[::1]:${port}`;
    },
  });
  setLoad(world.api, "shop", 60);
  await eventually(() => expect(replicasOf(world.api, "shop")).toBe(6));
  expect((await fetch(`http://[::1]:${world.port}/livez`)).status).toBe(200);
});
