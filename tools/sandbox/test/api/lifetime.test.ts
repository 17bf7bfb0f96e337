import { Agent, request } from "node:https";
import type { TLSSocket } from "node:tls";
import { expect, test } from "vitest";
import { createSandbox } from "../../src/index.ts";
import { configMap, configMaps, withApi } from "./api-rig.ts";

test("a stopped sandbox starts again as the same cluster", async () => {
  const sandbox = createSandbox({ workloads: false });
  const first = await sandbox.start();
  sandbox.store.create("configmaps", { metadata: { name: "kept", namespace: "default" } });
  await sandbox.stop();
  const second = await sandbox.start();
  try {
    expect(second.url).toBe(first.url);
    expect(second.kubeconfig).toBe(first.kubeconfig);
    expect(sandbox.store.get("configmaps", "default", "kept")).toBeDefined();
  } finally {
    await sandbox.stop();
  }
});

test("stopping ends every watch", async () => {
  let ended: Promise<unknown> | undefined;
  await withApi(async ({ call, watch }) => {
    await call("POST", configMaps, { body: configMap("a") });
    const started = new Promise<void>((ready) => {
      ended = watch(`${configMaps}?watch=true`, () => false, { ready: () => ready() }).catch(
        (error: unknown) => error,
      );
    });
    await started;
  });
  expect(await ended).toBeInstanceOf(Error);
});

test("a resumed TLS session is still its user", () =>
  withApi(async ({ address, credentials }) => {
    const agent = new Agent({ maxCachedSessions: 10, keepAlive: false, ca: address.caPem, ...credentials });
    const ask = (): Promise<{ code: number | undefined; reused: boolean }> =>
      new Promise((resolve, reject) => {
        const sent = request(new URL(configMaps, address.url), { agent }, (response) => {
          const reused = (response.socket as TLSSocket).isSessionReused();
          response.resume().once("end", () => resolve({ code: response.statusCode, reused }));
        });
        sent.once("error", reject).end();
      });
    expect(await ask()).toEqual({ code: 200, reused: false });
    expect(await ask()).toEqual({ code: 200, reused: true });
  }));
