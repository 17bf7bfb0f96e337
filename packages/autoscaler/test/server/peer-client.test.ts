import { X509Certificate } from "node:crypto";
import { createServer } from "node:https";
import { systemClock } from "@plimsoll/component-base";
import { generateServingCertificate } from "@plimsoll/kube/serving";
import { listen } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { createPeerClient } from "../../src/server/relay/peer-client.ts";
import { documentOf } from "../../src/server/relay/relay.ts";

test("a process that stops in the middle of its response does not hold the caller for ever", async () => {
  const { certPem, keyPem } = await generateServingCertificate(["127.0.0.1"], Date.now());
  const server = createServer({ cert: certPem, key: keyPem }, (_, response) => {
    response.write('{"items":[');
  });
  const { host } = await listen(server);
  const sha256 = new X509Certificate(certPem).fingerprint256.replaceAll(":", "").toLowerCase();
  const peer = { pod: "other", address: host, sha256 };
  const peers = createPeerClient(systemClock, { idleMs: 50 });
  const { signal } = new AbortController();
  const message = await peers.get(peer, { path: "/", headers: {}, signal });
  await expect(documentOf({ peer, message })).rejects.toThrow("aborted");
});
