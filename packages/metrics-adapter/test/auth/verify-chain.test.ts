import { X509Certificate } from "node:crypto";
import { type ChainResult, parseCertificates, verifyClientChain } from "@plimsoll/kube/serving";
import { type Authority, createAuthority, type Identity, issue } from "@plimsoll/kube/testing";
import { expect, onTestFinished, test, vi } from "vitest";

interface Question {
  readonly identity: Identity;
  readonly anchors: readonly Authority[];
  readonly nowMs?: number;
}

function verify({ identity, anchors, nowMs = Date.now() }: Question): ChainResult {
  const [leaf, ...intermediates] = parseCertificates(identity.cert);
  if (leaf === undefined) {
    throw new Error("no leaf");
  }
  return verifyClientChain({
    leaf,
    intermediates,
    anchors: anchors.flatMap((authority) => parseCertificates(authority.pem)),
    nowMs,
  });
}

test("an RSA authority vouches as well as one with an elliptic curve", async () => {
  const rsa = await createAuthority("rsa", { algorithm: "rsa" });
  const other = await createAuthority("other");
  const identity = await issue(rsa, "O=first,O=second,CN=bob");
  expect(verify({ identity, anchors: [other, rsa] })).toMatchObject({
    ok: true,
    leaf: { commonName: "bob", organizations: ["first", "second"] },
  });
  expect(verify({ identity, anchors: [other] }).ok).toBe(false);
});

test("a SHA-1 signature counts for nothing, except the one of an anchor on itself", async () => {
  const old = await createAuthority("old", { algorithm: "rsa-sha1" });
  expect(verify({ identity: await issue(old, "CN=bob"), anchors: [old] })).toEqual({
    ok: false,
    reason: "certificate has an insecure signature",
  });
});

test("two authorities of one name: the key decides", async () => {
  const [before, after] = [await createAuthority("rotated"), await createAuthority("rotated")];
  const identity = await issue(after, "CN=bob");
  expect(verify({ identity, anchors: [before, after] }).ok).toBe(true);
  expect(verify({ identity, anchors: [before] }).ok).toBe(false);
});

test("a verified chain is valid until its first certificate expires", async () => {
  const soon = new Date(Math.floor(Date.now() / 1000) * 1000 + 3_600_000);
  const root = await createAuthority("root");
  const middle = await createAuthority("middle", { issuer: root, notAfter: soon });
  const identity = await issue(middle, "CN=bob", { chain: middle.pem });
  expect(verify({ identity, anchors: [root] })).toMatchObject({ ok: true, validUntilMs: soon.getTime() });
  expect(verify({ identity, anchors: [root], nowMs: soon.getTime() + 1000 }).ok).toBe(false);
});

test("a chain to an expired trust anchor is refused", async () => {
  const notAfter = new Date(Date.now() - 1000);
  const root = await createAuthority("root", { notAfter });
  expect(verify({ identity: await issue(root, "CN=bob"), anchors: [root] }).ok).toBe(false);
});

test("a leaf cannot sign another leaf", async () => {
  const root = await createAuthority("root");
  const leaf = await issue(root, "CN=bob");
  const [certificate] = parseCertificates(leaf.cert);
  // The same key and name as the leaf, made to look like an authority of its own.
  const forged = await createAuthority("bob");
  const below = await issue(forged, "CN=admin", { chain: leaf.cert + forged.pem });
  expect(certificate?.x509.ca).toBe(false);
  expect(verify({ identity: below, anchors: [root] }).ok).toBe(false);
});

test("a peer cannot make us check signatures without end", async () => {
  const root = await createAuthority("root");
  const twins = await Promise.all(Array.from({ length: 40 }, () => createAuthority("twin")));
  const [first] = twins;
  const identity = await issue(first ?? root, "CN=bob", {
    // Each of the others may have signed it, as far as one can see.
    namesIssuerKey: false,
    chain: twins
      .slice(1)
      .map((twin) => twin.pem)
      .join(""),
  });
  const checks = vi.spyOn(X509Certificate.prototype, "verify");
  onTestFinished(() => checks.mockRestore());
  expect(verify({ identity, anchors: [root] }).ok).toBe(false);
  expect(checks).toHaveBeenCalledTimes(24);
});
