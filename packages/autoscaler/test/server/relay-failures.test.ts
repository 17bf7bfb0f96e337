// Relays to holders that are away, full, or not who they say they are.
import { X509Certificate } from "node:crypto";
import { createServer as createHttp, get as getHttp, type IncomingMessage } from "node:http";
import { createServer } from "node:https";
import { generateServingCertificate } from "@plimsoll/kube/serving";
import { eventually, listen } from "@plimsoll/testbed/world";
import express from "express";
import { expect, test } from "vitest";
import { createRelay } from "../../src/server/relay/relay.ts";
import type { FakeApi } from "../fake-api.ts";
import { get } from "./https-callers.ts";
import { summary, two } from "./relay-rig.ts";

/** What the lease says of its holder, as another process wrote it. */
function announce(api: FakeApi, serving: object): void {
  const lease = api.get("leases", "default", "autoscaler");
  api.put("leases", {
    ...lease,
    metadata: {
      ...lease.metadata,
      annotations: { "autoscaling.plimsoll.dev/serving": JSON.stringify(serving) },
    },
    spec: { ...(lease.spec as object), holderIdentity: "another", renewTime: "2030-01-01T00:10:00.000000Z" },
  });
}

test("a holder with another certificate, and one that is away, is a 503 that names it; nothing is sent", async () => {
  const { certPem, keyPem } = await generateServingCertificate(["127.0.0.1"], Date.now());
  let requests = 0;
  const impostor = createServer({ cert: certPem, key: keyPem }, (_, response) => {
    requests++;
    response.end("{}");
  });
  const { port } = await listen(impostor);
  const { clock, first, second } = await two({ mode: "leader" });
  await first.autoscaler.stop();
  const sha256 = "0".repeat(64);
  announce(first.api, { pod: "pod-other", address: `127.0.0.1:${port}`, sha256 });
  await clock.advance(400);
  const pinned = await get(second.securePort, summary, "ann");
  expect([pinned.code, JSON.parse(pinned.body)]).toMatchObject([
    503,
    {
      message: `pod-other, which decides, cannot be reached: its certificate differs from the one in the lease; nothing was sent`,
    },
  ]);
  expect(requests).toBe(0);
  announce(first.api, { pod: "pod-gone", address: "127.0.0.1:1", sha256 });
  await clock.advance(400);
  await eventually(async () => {
    const away = await get(second.securePort, summary, "ann");
    expect([away.code, away.body]).toEqual([503, expect.stringContaining("pod-gone, which decides")]);
  });
});

test("a lease that names a server which is not a pod of the deployment gets no token, whatever its certificate", async () => {
  const { certPem, keyPem } = await generateServingCertificate(["127.0.0.2"], Date.now());
  let connections = 0;
  const harvester = createServer({ cert: certPem, key: keyPem }, (_, response) => void response.end("{}"));
  harvester.on("connection", () => connections++);
  const { port } = await listen(harvester, "127.0.0.2");
  const { clock, first, second } = await two({ mode: "leader" });
  await first.autoscaler.stop();
  const sha256 = new X509Certificate(certPem).fingerprint256.replaceAll(":", "").toLowerCase();
  announce(first.api, { pod: "pod-first", address: `127.0.0.2:${port}`, sha256 });
  await clock.advance(400);
  const { code, body } = await get(second.securePort, summary, "ann");
  expect([code, JSON.parse(body)]).toMatchObject([
    503,
    {
      message: `pod-first, which decides, cannot be reached: no running pod of system:serviceaccount:plimsoll:autoscaler has this address; nothing was sent`,
    },
  ]);
  expect(connections).toBe(0);
  announce(first.api, { pod: "pod-first", address: `localhost:${port}`, sha256 });
  await clock.advance(400);
  await eventually(async () => {
    const named = await get(second.securePort, summary, "ann");
    expect([named.code, named.body]).toEqual([503, expect.stringContaining("has no address")]);
  });
});

test("without a holder it is a 503 that names the lease", async () => {
  const { clock, first, second } = await two({ mode: "leader" });
  const broken = { code: 503, body: {} };
  first.api.script("PUT", /\/leases/, ({ agent }) => (agent === "second" ? broken : undefined), 1000);
  await first.autoscaler.stop();
  await clock.advance(600);
  await eventually(async () => {
    const { code, body } = await get(second.securePort, summary, "ann");
    expect([code, body]).toEqual([
      503,
      expect.stringContaining("no process holds the lease default/autoscaler"),
    ]);
  });
});

test("a holder that is full says when to try again, also through another process", async () => {
  const holder = createHttp(
    (_request, response) => void response.writeHead(429, { "Retry-After": "1" }).end(),
  );
  const { port } = await listen(holder);
  const message = new Promise<IncomingMessage>((resolve) => getHttp({ port, agent: false }, resolve));
  const relay = createRelay({
    holders: () => ({ isSelf: false, others: [], silent: [], vacant: undefined }),
    peers: { get: () => message },
    token: { forPod: () => Promise.resolve("relay") },
  });
  const peer = { pod: "a1", address: "127.0.0.1:1", sha256: "" };
  const app = express().use((request, response) =>
    relay.pipe(peer, { request, response, resources: undefined }),
  );
  const { host } = await listen(createHttp(app));
  const answer = await fetch(`http://${host}/`);
  expect([answer.status, answer.headers.get("retry-after")]).toEqual([429, "1"]);
});
