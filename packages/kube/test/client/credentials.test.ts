import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { manualClock } from "@plimsoll/component-base/testing";
import { connect } from "@plimsoll/kube";
import { testFolder } from "@plimsoll/testbed/world";
import { expect, onTestFinished, test } from "vitest";
import { createAuthority, issue } from "../../src/testing/pki.ts";
import { sendJson, status } from "../fake/api-server.ts";
import { authority, client, failure, kubeconfig, serve } from "../fake/tls-server.ts";

test("a refused token is read again from its file, once, and the request is retried", async () => {
  let wanted = "one";
  const server = await serve((seen, res) => {
    if (seen.headers.authorization === `Bearer ${wanted}`) sendJson(res, 200, { ok: true });
    else sendJson(res, 401, status(401, "Unauthorized", "Unauthorized"));
  });
  const dir = testFolder();
  const tokenFile = join(dir, "token");
  writeFileSync(tokenFile, "one\n");
  const kube = await client(server, { "auth-provider": { name: "tokenFile", config: { tokenFile } } });
  expect(await kube.request({ path: "/x" })).toEqual({ ok: true });
  wanted = "two";
  writeFileSync(tokenFile, "two\n");
  expect(await kube.request({ method: "POST", path: "/x", body: {} })).toEqual({ ok: true });
  wanted = "three";
  // Nothing new to be had: the refusal stands, and sources are not asked again at once.
  expect(await failure(kube.request({ path: "/x" }))).toMatchObject({ code: 401 });
  expect(server.seen).toHaveLength(4);
});

test("a plugin is run once and again when its credential has expired", async () => {
  const server = await serve((seen, res) => sendJson(res, 200, { token: seen.headers.authorization }));
  const dir = testFolder();
  const script = join(dir, "plugin.sh");
  const expires = new Date(Date.now() - 1000).toISOString();
  writeFileSync(
    script,
    `#!/bin/sh\necho "$KUBERNETES_EXEC_INFO" >>${dir}/runs\nn=$(wc -l <${dir}/runs)\necho "{\\"apiVersion\\":\\"client.authentication.k8s.io/v1\\",\\"kind\\":\\"ExecCredential\\",\\"status\\":{\\"token\\":\\"run-$((n))\\",\\"expirationTimestamp\\":\\"${expires}\\"}}"\n`,
  );
  chmodSync(script, 0o755);
  const clock = manualClock(Date.now());
  const kube = await client(
    server,
    { exec: { apiVersion: "client.authentication.k8s.io/v1", command: script } },
    { clock },
  );
  const many = await Promise.all([1, 2, 3].map(() => kube.request({ path: "/x" })));
  expect(many).toEqual([1, 2, 3].map(() => ({ token: "Bearer run-1" })));
  await clock.advance(11_000);
  expect(await kube.request({ path: "/x" })).toEqual({ token: "Bearer run-2" });
  expect(JSON.parse(readFileSync(join(dir, "runs"), "utf8").split("\n")[0] ?? "")).toMatchObject({
    apiVersion: "client.authentication.k8s.io/v1",
    kind: "ExecCredential",
    spec: { interactive: false },
  });
});

test("a plugin that fails is a ConnectionError that says why", async () => {
  const server = await serve((_, res) => sendJson(res, 200, {}));
  const kube = await client(server, {
    exec: { apiVersion: "client.authentication.k8s.io/v1", command: "/nonexistent/plugin" },
  });
  expect(await failure(kube.request({ path: "/x" }))).toMatchObject({
    kind: "credentials",
    message: expect.stringContaining("/nonexistent/plugin") as string,
  });
});

test("a CA file that is replaced is trusted without a restart", async () => {
  const dir = testFolder();
  const caFile = join(dir, "ca.crt");
  const foreign = await createAuthority("next");
  writeFileSync(caFile, authority.pem);
  const server = await serve((_, res) => sendJson(res, 200, { ok: 1 }), {
    tls: {
      ...(await issue(foreign, "CN=127.0.0.1", { usage: "server", hosts: ["127.0.0.1"] })),
      ca: foreign.pem,
    },
  });
  const path = kubeconfig(
    dir,
    server.url,
    {},
    {
      "certificate-authority-data": undefined,
      "certificate-authority": "ca.crt",
    },
  );
  const clock = manualClock(0);
  const kube = await connect({ kubeconfig: path, userAgent: "t", clock });
  onTestFinished(() => kube.close());
  expect(await failure(kube.request({ path: "/x" }))).toMatchObject({ kind: "tls" });
  writeFileSync(caFile, foreign.pem);
  await clock.advance(11_000);
  expect(await kube.request({ path: "/x" })).toEqual({ ok: 1 });
});
