import type { IncomingMessage } from "node:http";
import { TLSSocket } from "node:tls";
import { createCacheMeter } from "@plimsoll/component-base";
import { createAuthenticator, parseCertificates } from "@plimsoll/kube/serving";
import { expect, test } from "vitest";
import { createAuthority, type Identity, issue } from "../../../src/testing/pki.ts";

/** A request over a new connection. */
function requestOf({ cert }: Identity): IncomingMessage {
  const socket: TLSSocket = Object.create(TLSSocket.prototype) as TLSSocket;
  const [leaf] = parseCertificates(cert).map(({ x509 }) => ({ raw: x509.raw }));
  Object.defineProperty(socket, "getPeerCertificate", { value: () => leaf ?? {} });
  return { socket, headers: {}, rawHeaders: [] } as unknown as IncomingMessage;
}

test("certificates that prove nothing take no place of those that do", async () => {
  const [trusted, unknown] = [await createAuthority("trusted"), await createAuthority("unknown")];
  const clientCa = parseCertificates(trusted.pem);
  const config = { clientCa, requestHeader: undefined };
  const meter = createCacheMeter();
  const { authenticate } = createAuthenticator({
    meter,
    config: () => config,
    tokens: undefined,
    nowMs: () => Date.now(),
  });
  const takenAfter = async (identity: Identity) => {
    const { type } = await authenticate(requestOf(identity));
    return [type, meter.bytes().get("peers")];
  };
  expect(await takenAfter(await issue(unknown, "CN=mallory"))).toEqual(["refused", 0]);
  expect(await takenAfter(await issue(trusted, "CN=bob"))).toEqual(["user", expect.any(Number)]);
  const taken = meter.bytes().get("peers");
  expect(taken).toBeGreaterThan(0);
  expect(await takenAfter(await issue(unknown, "CN=mallory"))).toEqual(["refused", taken]);
});
