import { connect, type Socket } from "node:net";
import { createControlGroup, limitOpenFiles, whyNoControlGroups } from "@plimsoll/component-base/testing";
import { eventually } from "@plimsoll/testbed/world";
import { expect, onTestFinished, test } from "vitest";
import { replicasOf } from "../test/faults/metric-kinds.ts";
import { addObject, asked, setLoad, startWorld, type World } from "./world.ts";

const lateness = "plimsoll_hpa_controller_sync_lateness_seconds_sum";
const mebibyte = 1024 * 1024;
const whyNot = whyNoControlGroups();
const notLinux = process.platform === "linux" ? undefined : "what a process has open is read from /proc";

/** The group goes when the process has. */
function group(limits: Parameters<typeof createControlGroup>[0]) {
  const made = createControlGroup(limits);
  onTestFinished(() => eventually(() => made.remove()));
  return made;
}

const livez = async ({ port }: World) => (await fetch(`http://127.0.0.1:${port}/livez`)).status;

async function seriesOf({ port }: World, name: string): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, "m").exec(text)?.[1]);
}

test("with a tenth of a processor turns come later and say so, the lease is kept, and all is as before afterwards", async ({
  skip,
}) => {
  skip(whyNot !== undefined, whyNot);
  const starved = group({ cpuPercent: 100 });
  const names = Array.from({ length: 200 }, (_, n) => `shop-${n}`);
  const world = await startWorld(names, {
    prefix: starved.prefix,
    flags: ["--leader-elect-resource-namespace=default"],
  });
  const { api, process } = world;
  const lateBefore = await seriesOf(world, lateness);
  starved.set({ cpuPercent: 10 });
  setLoad(api, "shop-0", 60);
  await eventually(() => expect(replicasOf(api, "shop-0")).toBe(6));
  await eventually(async () => expect(await livez(world)).toBe(200));
  await eventually(async () => expect(await seriesOf(world, lateness)).toBeGreaterThan(lateBefore + 10));
  starved.set({ cpuPercent: 100 });
  setLoad(api, "shop-199", 90);
  await eventually(() => expect(replicasOf(api, "shop-199")).toBe(9));
  const changed = names.filter((name) => replicasOf(api, name) !== 3);
  expect(changed).toEqual(["shop-0", "shop-199"]);
  // Given up cleanly and taken again, if at all.
  const heard = process.lines().map(({ msg }) => msg);
  expect(heard.filter((msg) => msg === "objects gained").length).toBe(
    heard.filter((msg) => msg === "objects lost").length + 1,
  );
});

test("with 256 MiB it survives endless responses, and the others are scaled", async ({ skip }) => {
  skip(whyNot !== undefined, whyNot);
  const small = group({ memoryBytes: 256 * mebibyte });
  const hostile = Array.from({ length: 20 }, (_, n) => `hostile-${n}`);
  const filler = Buffer.alloc(mebibyte, " ");
  const world = await startWorld(["shop", ...hostile], { prefix: small.prefix }, (api) => {
    api.script(
      "GET",
      /\/external\.metrics\.k8s\.io\/.*\/hostile-\d+$/,
      () => ({
        code: 200,
        body: undefined,
        send(response) {
          response.writeHead(200, { "content-type": "application/json" });
          response.write('{"items":[');
          const more = (): void => {
            while (!response.destroyed && response.write(filler));
          };
          response.on("drain", more);
          more();
        },
      }),
      Number.POSITIVE_INFINITY,
    );
  });
  const { api } = world;
  const rounds = asked(api, "hostile-0") + 3;
  await eventually(() => expect(asked(api, "hostile-0")).toBeGreaterThan(rounds));
  setLoad(api, "shop", 60);
  await eventually(() => expect(replicasOf(api, "shop")).toBe(6));
  expect(await livez(world)).toBe(200);
  expect(hostile.filter((name) => replicasOf(api, name) !== 3)).toEqual([]);
});

test("a heap that is too small for what is watched ends the process at once, with the reason", async () => {
  const world = await startWorld(["shop"], { nodeFlags: ["--max-old-space-size=64"] });
  const { api, process } = world;
  const behavior = { scaleDown: { stabilizationWindowSeconds: 0, policies: [] } };
  const annotations = { note: "x".repeat(100_000) };
  let n = 0;
  const timer = setInterval(() => {
    for (let more = 0; more < 20; more++) {
      n += 1;
      addObject(api, `more-${n}`);
      const { spec, metadata } = api.get("horizontalpodautoscalers", "default", `more-${n}`);
      api.put("horizontalpodautoscalers", {
        metadata: { ...metadata, annotations },
        spec: { ...(spec as object), behavior },
      });
    }
  }, 20);
  onTestFinished(() => clearInterval(timer));
  expect(await process.ended).not.toBe(0);
  clearInterval(timer);
  expect(process.errors()).toContain("heap out of memory");
});

test("without a free file descriptor the loop goes on, and the ports respond again afterwards", async ({
  skip,
}) => {
  skip(notLinux !== undefined, notLinux);
  const world = await startWorld(["shop"]);
  const { api, process, port } = world;
  const free = limitOpenFiles(process.pid);
  const sockets: Socket[] = [];
  onTestFinished(() => sockets.forEach((socket) => socket.destroy()));
  for (let n = 0; n < 50; n++) {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => {});
    sockets.push(socket);
  }
  const before = asked(api, "shop");
  setLoad(api, "shop", 60);
  await eventually(() => expect(replicasOf(api, "shop")).toBe(6));
  await eventually(() => expect(asked(api, "shop")).toBeGreaterThan(before + 3));
  free();
  for (const socket of sockets) socket.destroy();
  await eventually(async () => expect(await livez(world)).toBe(200));
});

test("watches that are cut while there is no file descriptor are taken up again when there is one", async ({
  skip,
}) => {
  skip(notLinux !== undefined, notLinux);
  const { api, process } = await startWorld(["shop"]);
  const free = limitOpenFiles(process.pid);
  // Their places are taken before they can be used again.
  api.cutWatches();
  addObject(api, "late");
  free();
  await eventually(() => expect(asked(api, "late")).toBeGreaterThan(0));
  setLoad(api, "late", 60);
  await eventually(() => expect(replicasOf(api, "late")).toBe(6));
});

test("a process that stands still for several periods goes on where it was: nothing is lost, nothing done twice", async ({
  skip,
}) => {
  skip(notLinux !== undefined, notLinux);
  const { api, process } = await startWorld(["shop", "calm"]);
  process.kill("SIGSTOP");
  setLoad(api, "shop", 60);
  const before = asked(api, "calm");
  // The process is stopped, and nothing can say that its lease has run out.
  await new Promise((resolve) => setTimeout(resolve, 4000));
  process.kill("SIGCONT");
  await eventually(() => expect(replicasOf(api, "shop")).toBe(6));
  await eventually(() => expect(asked(api, "calm")).toBeGreaterThan(before));
  expect(api.scaled.map(({ target, to }) => [target, to])).toEqual([["default/shop", 6]]);
});
