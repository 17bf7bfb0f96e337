// A certificate that was verified on one connection counts for others: for which, and for how long.
import type { IncomingMessage } from "node:http";
import { TLSSocket } from "node:tls";
import { manualClock } from "@plimsoll/component-base/testing";
import { type AuthenticationConfig, createAuthenticator, parseCertificates } from "@plimsoll/kube/serving";
import { type Authority, createAuthority, type Identity, issue } from "@plimsoll/kube/testing";
import { beforeEach, expect, test } from "vitest";

const proxyConfig = {
  allowedNames: ["proxy"],
  usernameHeaders: ["x-remote-user"],
  uidHeaders: [],
  groupHeaders: [],
  extraHeaderPrefixes: [],
};

let clock: ReturnType<typeof manualClock>;
let config: AuthenticationConfig;
let connect: (identity: Identity) => Promise<string>;

function trust(clients: readonly Authority[], proxies: readonly Authority[] = [], names = ["proxy"]): void {
  const anchors = (authorities: readonly Authority[]) =>
    authorities.flatMap(({ pem }) => parseCertificates(pem));
  config = {
    clientCa: anchors(clients),
    requestHeader:
      proxies.length === 0 ? undefined : { ...proxyConfig, anchors: anchors(proxies), allowedNames: names },
  };
}

/** A request over a new connection. */
function requestOf({ cert }: Identity): IncomingMessage {
  const socket: TLSSocket = Object.create(TLSSocket.prototype) as TLSSocket;
  const chain = parseCertificates(cert).map(({ x509 }) => ({ raw: x509.raw }));
  const linked = chain.reduceRight<object | undefined>(
    (issuer, one) => ({ ...one, issuerCertificate: issuer }),
    undefined,
  );
  Object.defineProperty(socket, "getPeerCertificate", { value: () => linked ?? {} });
  return { socket, headers: {}, rawHeaders: ["X-Remote-User", "ann"] } as unknown as IncomingMessage;
}

beforeEach(() => {
  clock = manualClock(Date.now());
  const authenticator = createAuthenticator({
    config: () => config,
    tokens: undefined,
    nowMs: () => clock.nowMs(),
  });
  connect = async (identity) => {
    const result = await authenticator.authenticate(requestOf(identity));
    return result.type === "user" ? result.user.name : result.type;
  };
});

test("it ends with the certificate", async () => {
  const root = await createAuthority("root");
  const notAfter = new Date(Math.floor(clock.nowMs() / 1000) * 1000 + 300_000);
  const bob = await issue(root, "CN=bob", { notAfter });
  trust([root]);
  expect([await connect(bob), await connect(bob)]).toEqual(["bob", "bob"]);
  await clock.advance(301_000);
  expect(await connect(bob)).toBe("refused");
});

test("it ends with an authority that was sent along", async () => {
  const root = await createAuthority("root");
  const notAfter = new Date(Math.floor(clock.nowMs() / 1000) * 1000 + 300_000);
  const middle = await createAuthority("middle", { issuer: root, notAfter });
  const bob = await issue(middle, "CN=bob", { chain: middle.pem });
  trust([root]);
  expect([await connect(bob), await connect(bob)]).toEqual(["bob", "bob"]);
  await clock.advance(301_000);
  expect(await connect(bob)).toBe("refused");
});

test("another certificate of the same name, or the same one without what led to a CA, proves nothing", async () => {
  const [root, other] = [await createAuthority("root"), await createAuthority("root")];
  const middle = await createAuthority("middle", { issuer: root });
  const bob = await issue(middle, "CN=bob", { chain: middle.pem });
  trust([root]);
  expect(await connect(bob)).toBe("bob");
  expect(await connect(await issue(other, "CN=bob"))).toBe("refused");
  const [leaf = ""] = bob.cert.split(/(?<=-----END CERTIFICATE-----)/);
  expect(await connect({ ...bob, cert: leaf })).toBe("refused");
  expect(await connect({ ...bob, cert: `${leaf}\n${other.pem}` })).toBe("refused");
});

test("a CA that is removed, or a name that is allowed no more, ends it for all connections", async () => {
  const [root, proxyCa] = [await createAuthority("root"), await createAuthority("proxy-ca")];
  const [bob, proxy] = [await issue(root, "CN=bob"), await issue(proxyCa, "CN=proxy")];
  trust([root], [proxyCa]);
  expect([await connect(bob), await connect(proxy)]).toEqual(["bob", "ann"]);
  trust([root], [proxyCa], ["another"]);
  expect([await connect(bob), await connect(proxy)]).toEqual(["bob", "refused"]);
  trust([proxyCa], [root]);
  expect([await connect(bob), await connect(proxy)]).toEqual(["refused", "proxy"]);
  trust([root], [proxyCa]);
  expect([await connect(bob), await connect(proxy)]).toEqual(["bob", "ann"]);
});
