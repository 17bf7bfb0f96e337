// A server behind TLS, and clients of it by a kubeconfig.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "@plimsoll/kube";
import { testFolder } from "@plimsoll/testbed/world";
import { expect, onTestFinished } from "vitest";
import { createAuthority, issue } from "../../src/testing/pki.ts";
import { type FakeServer, type Handler, startFakeServer } from "./api-server.ts";

export const authority = await createAuthority("fake-ca");

export const serverIdentity = await issue(authority, "CN=127.0.0.1", {
  usage: "server",
  hosts: ["127.0.0.1"],
});

export const clientIdentity = await issue(authority, "CN=alice");

export const tls = { ...serverIdentity, ca: authority.pem };

export async function serve(
  handle: Handler,
  options: Parameters<typeof startFakeServer>[1] = { tls },
): Promise<FakeServer> {
  const server = await startFakeServer(handle, options);
  onTestFinished(() => server.close());
  return server;
}

export function kubeconfig(dir: string, server: string, user: Record<string, unknown>, cluster = {}): string {
  const path = join(dir, "config");
  const data = Buffer.from(authority.pem).toString("base64");
  writeFileSync(
    path,
    JSON.stringify({
      apiVersion: "v1",
      kind: "Config",
      "current-context": "main",
      clusters: [{ name: "c", cluster: { server, "certificate-authority-data": data, ...cluster } }],
      users: [{ name: "u", user }],
      contexts: [{ name: "main", context: { cluster: "c", user: "u" } }],
    }),
  );
  return path;
}

export async function client(
  server: FakeServer,
  user = {},
  options: Partial<Parameters<typeof connect>[0]> = {},
) {
  const connected = await connect({
    kubeconfig: kubeconfig(testFolder(), server.url, user),
    userAgent: "plimsoll-test/1",
    ...options,
  });
  onTestFinished(() => connected.close());
  return connected;
}

export function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => expect.fail("it succeeded"),
    (error: unknown) => error,
  );
}
