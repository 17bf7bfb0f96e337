import { X509Certificate } from "node:crypto";
import type { ServerResponse } from "node:http";
import { createServer } from "node:https";
import { systemClock } from "@plimsoll/component-base";
import { manualClock } from "@plimsoll/component-base/testing";
import { generateServingCertificate } from "@plimsoll/kube/serving";
import { eventually, listen } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { createPeerClient } from "../../src/server/relay/peer-client.ts";
import { documentOf } from "../../src/server/relay/relay.ts";

async function peerThat(respond: (response: ServerResponse) => void) {
  const { certPem, keyPem } = await generateServingCertificate(["127.0.0.1"], Date.now());
  const server = createServer({ cert: certPem, key: keyPem }, (_, response) => respond(response));
  const { host } = await listen(server);
  const sha256 = new X509Certificate(certPem).fingerprint256.replaceAll(":", "").toLowerCase();
  return { pod: "other", address: host, sha256 };
}

const request = () => ({ path: "/", headers: {}, signal: new AbortController().signal });

test("a process that stops in the middle of its response does not hold the caller for ever", async () => {
  const peer = await peerThat((response) => response.write('{"items":['));
  const peers = createPeerClient(systemClock, { idleMs: 50 });
  const message = await peers.get(peer, request());
  await expect(documentOf({ peer, message })).rejects.toThrow("aborted");
});

test("a process that does not respond is given up after 10 s", async () => {
  let requests = 0;
  const peer = await peerThat(() => void requests++);
  const clock = manualClock(0);
  const outcome = createPeerClient(clock)
    .get(peer, request())
    .then(() => "it responded", String);
  await eventually(() => expect(requests).toBe(1));
  await clock.advance(10_000);
  expect(await outcome).toContain("no response within 10 s");
});
