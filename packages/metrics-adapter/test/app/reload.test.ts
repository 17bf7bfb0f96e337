import { Agent } from "node:https";
import { connect } from "node:tls";
import { manualClock } from "@plimsoll/component-base/testing";
import { createAuthority, issue } from "@plimsoll/kube/testing";
import { until } from "@plimsoll/testbed/world";
import { expect, onTestFinished, test } from "vitest";
import { authenticationData, serveConfigMap } from "../http/fake-configmap.ts";
import { fakeKube } from "../http/fakes.ts";
import { ask, askAs, createPki, type Harness, parsedOptions, startAdapter } from "../http/harness.ts";

const path = "/apis/external.metrics.k8s.io/v1beta1/namespaces/ns/queue_depth";

async function ready(harness: Harness): Promise<string> {
  return (await ask(harness, { path: "/readyz?verbose" })).text;
}

test("the cluster's ConfigMap says whom to believe, and its changes take effect at once", async () => {
  const pki = await createPki();
  const kube = fakeKube();
  const configMap = serveConfigMap(kube, authenticationData(pki));
  const harness = await startAdapter({ pki, kube, source: "configmap" });
  onTestFinished(() => harness.adapter.stop());
  await until("the configuration is read", async () =>
    (await ready(harness)).includes("[+]authentication ok"),
  );
  expect(configMap.requests[0]).toMatchObject({
    path: "/api/v1/namespaces/kube-system/configmaps",
    query: { fieldSelector: "metadata.name=extension-apiserver-authentication" },
  });
  expect((await askAs(harness, path)).code).toBe(200);

  // The CA is rotated: first both are trusted, then the new one alone. Header names change as well.
  const newCa = await createAuthority("front-proxy-ca-2");
  const newProxy = await issue(newCa, "CN=front-proxy-client");
  expect((await askAs(harness, path, { identity: newProxy })).code).toBe(401);
  configMap.set({
    ...authenticationData(pki),
    "requestheader-client-ca-file": pki.proxyCa.pem + newCa.pem,
  });
  await until(
    "the new CA is believed",
    async () => (await askAs(harness, path, { identity: newProxy })).code === 200,
  );
  expect((await askAs(harness, path)).code).toBe(200);
  configMap.set({
    ...authenticationData(pki),
    "requestheader-client-ca-file": newCa.pem,
    "requestheader-username-headers": '["X-Plimsoll-User"]',
    "requestheader-group-headers": '["X-Plimsoll-Group"]',
  });
  await until("the old CA is believed no more", async () => (await askAs(harness, path)).code === 401);
  const headers = { "X-Plimsoll-User": "ann", "X-Plimsoll-Group": "system:masters" };
  expect((await ask(harness, { path, identity: newProxy, headers })).code).toBe(200);
  const named = { ...headers, Connection: "X-Plimsoll-User" };
  expect((await ask(harness, { path, identity: newProxy, headers: named })).code).toBe(400);

  // Nonsense does not undo what works.
  configMap.set({ ...authenticationData(pki), "requestheader-allowed-names": "front-proxy-client" });
  await until("the bad configuration is noticed", () =>
    harness.log.lines.some((line) => line.message.includes("not usable")),
  );
  expect((await ask(harness, { path, identity: newProxy, headers })).code).toBe(200);
});

test("an open connection loses its standing with the CA that gave it", async () => {
  const pki = await createPki();
  const kube = fakeKube();
  const configMap = serveConfigMap(kube, authenticationData(pki));
  const harness = await startAdapter({ pki, kube, source: "configmap" });
  onTestFinished(() => harness.adapter.stop());
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  await until("the proxy is believed", async () => (await askAs(harness, path)).code === 200);
  expect((await askAs(harness, path, { agent })).code).toBe(200);
  configMap.set({ ...authenticationData(pki), "requestheader-client-ca-file": pki.clientCa.pem });
  await until(
    "the proxy is believed no more",
    async () => (await askAs(harness, path, { agent })).code === 401,
  );
  // What its certificate proved before does not count for a new connection either.
  expect((await askAs(harness, path)).code).toBe(401);
});

test("without the ConfigMap it is not ready and authenticates no client, until it comes", async () => {
  const pki = await createPki();
  const kube = fakeKube();
  const configMap = serveConfigMap(kube, undefined);
  const harness = await startAdapter({ pki, kube, source: "configmap" });
  onTestFinished(() => harness.adapter.stop());
  expect(await ready(harness)).toContain(
    "[-]authentication failed: ConfigMap kube-system/extension-apiserver-authentication has not been read yet",
  );
  expect((await ask(harness, { path: "/livez" })).code).toBe(200);
  expect((await askAs(harness, path)).code).toBe(401);
  await until("the ConfigMap is watched", () => configMap.requests.length > 1);
  configMap.set(authenticationData(pki));
  await until("the proxy is believed", async () => (await askAs(harness, path)).code === 200);
  expect(await ready(harness)).toContain("readyz check passed");
});

test("a lookup that fails can be tolerated", async () => {
  const kube = fakeKube();
  const harness = await startAdapter({
    kube,
    source: "configmap",
    flags: ["--authentication-tolerate-lookup-failure"],
  });
  onTestFinished(() => harness.adapter.stop());
  expect(await ready(harness)).toContain("readyz check passed");
  expect((await askAs(harness, path)).code).toBe(401);
});

/** The common name of the certificate that is served for a name. */
function servedName(harness: Harness, servername: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port: harness.port, host: "127.0.0.1", servername, rejectUnauthorized: false });
    socket.once("secureConnect", () => {
      resolve(String(socket.getPeerCertificate().subject.CN));
      socket.destroy();
    });
    socket.once("error", reject);
  });
}

test("serving certificate and client CA are reloaded from their files; half a change waits for the other half", async () => {
  const clock = manualClock(Date.now());
  const harness = await startAdapter({ clock });
  expect(await servedName(harness, "localhost")).toBe("adapter");
  const next = await issue(harness.pki.serving, "CN=adapter-2", { usage: "server", hosts: ["localhost"] });
  harness.files.set("/tls.crt", next.cert);
  await clock.advance(10_000);
  await until("the mismatch is noticed", () =>
    harness.log.lines.some(
      (line) => line.message === "new serving certificate is not usable; keeping the old one",
    ),
  );
  expect(await servedName(harness, "localhost")).toBe("adapter");
  harness.files.set("/tls.key", next.key);
  await clock.advance(10_000);
  await until(
    "the new certificate is served",
    async () => (await servedName(harness, "localhost")) === "adapter-2",
  );

  const newCa = await createAuthority("other-proxy-ca");
  harness.files.set("/proxy-ca", newCa.pem);
  await clock.advance(10_000);
  await until("the old proxy CA is gone", async () => (await askAs(harness, path)).code === 401);
  const proxy = await issue(newCa, "CN=front-proxy-client");
  expect((await askAs(harness, path, { identity: proxy })).code).toBe(200);
  harness.files.delete("/proxy-ca");
  await clock.advance(10_000);
  await until("the missing file is noticed", () =>
    harness.log.lines.some((line) => line.message.startsWith("could not reload files")),
  );
  expect((await askAs(harness, path, { identity: proxy })).code).toBe(200);
  const metrics = (await askAs(harness, "/metrics", { identity: proxy })).text;
  expect(metrics).toContain('plimsoll_adapter_reloads_total{what="serving-certificate",outcome="success"} 1');
  expect(metrics).toContain('plimsoll_adapter_reloads_total{what="serving-certificate",outcome="failure"} 1');
  const stopped = harness.adapter.stop();
  await clock.advance(0);
  await stopped;
});

test("readiness ends before the serving certificate does", async () => {
  const pki = await createPki();
  const notAfter = new Date(Date.now() + 3_600_000);
  const server = await issue(pki.serving, "CN=adapter", { usage: "server", hosts: ["localhost"], notAfter });
  const clock = manualClock(Date.now());
  const harness = await startAdapter({ pki: { ...pki, server }, clock });
  expect(await ready(harness)).toContain("[+]serving-certificate ok");
  await clock.advance(3_600_000 - 299_000);
  expect(await ready(harness)).toContain("[-]serving-certificate failed: expires at");
  expect((await ask(harness, { path: "/readyz" })).code).toBe(500);
  const stopped = harness.adapter.stop();
  await clock.advance(0);
  await stopped;
});

test("a certificate can be had for a name of its own", async () => {
  const pki = await createPki();
  const special = await issue(pki.serving, "CN=special", { usage: "server", hosts: ["special.example"] });
  const wild = await issue(pki.serving, "CN=wild", { usage: "server", hosts: ["unused.example"] });
  expect(parsedOptions(["--tls-sni-cert-key=/a,/b:x.example"]).serving.sniFiles).toEqual([
    { certFile: "/a", keyFile: "/b", domains: ["x.example"] },
  ]);
  const harness = await startAdapter({
    pki,
    extraFiles: { "/s.crt": special.cert, "/s.key": special.key, "/w.crt": wild.cert, "/w.key": wild.key },
    flags: ["--tls-sni-cert-key=/s.crt,/s.key", "--tls-sni-cert-key=/w.crt,/w.key:*.wild.example"],
  });
  onTestFinished(() => harness.adapter.stop());
  expect(await servedName(harness, "special.example")).toBe("special");
  expect(await servedName(harness, "any.wild.example")).toBe("wild");
  expect(await servedName(harness, "localhost")).toBe("adapter");
});
