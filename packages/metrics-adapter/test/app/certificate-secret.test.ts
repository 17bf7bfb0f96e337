import { X509Certificate } from "node:crypto";
import { systemClock } from "@plimsoll/component-base";
import { dayMs } from "@plimsoll/core/internal/values";
import { ApiError, type KubeClient, type KubeRequest } from "@plimsoll/kube";
import { createServingCertificate } from "@plimsoll/kube/serving";
import { silentLog } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { createCertificateSecret } from "../../src/app/certificate-secret.ts";

const secret = { namespace: "monitoring", name: "adapter-tls" };

interface Stored {
  readonly metadata: { readonly resourceVersion: string };
  readonly data?: Readonly<Record<string, string>>;
}

/** One Secret, with the API server's rule about resource versions. */
function cluster(initial: Stored | undefined): {
  readonly client: KubeClient;
  readonly current: () => Stored | undefined;
} {
  let stored = initial;
  const request = async ({ method = "GET", path, body }: KubeRequest): Promise<unknown> => {
    expect(path).toBe("/api/v1/namespaces/monitoring/secrets/adapter-tls");
    if (stored === undefined) throw failure(404, "NotFound");
    if (method === "GET") return stored;
    const sent = body as Stored;
    if (sent.metadata.resourceVersion !== stored.metadata.resourceVersion) throw failure(409, "Conflict");
    stored = { ...sent, metadata: { resourceVersion: `${Number(stored.metadata.resourceVersion) + 1}` } };
    return stored;
  };
  return { client: { request } as unknown as KubeClient, current: () => stored };
}

function failure(code: number, reason: string): ApiError {
  return new ApiError({
    code,
    reason,
    message: `${reason} by the test`,
    retryAfterMs: undefined,
    status: {},
  });
}

const empty: Stored = { metadata: { resourceVersion: "1" } };

function replica(client: KubeClient, nowMs = Date.now()) {
  const clock = { ...systemClock, nowMs: () => nowMs };
  const store = createCertificateSecret({ client, secret, nowMs: clock.nowMs });
  const certificate = createServingCertificate({
    files: undefined,
    sniFiles: [],
    store,
    hosts: ["localhost", "adapter.monitoring.svc"],
    readText: () => Promise.reject(new Error("no files here")),
    pollIntervalMs: 1_000,
    clock,
    log: silentLog,
    onReload: () => {},
  });
  return { store, certificate };
}

test("replicas that start at once end with one certificate, and one CA to publish", async () => {
  const { client, current } = cluster(empty);
  const replicas = [replica(client), replica(client), replica(client)];
  const [first, ...others] = await Promise.all(replicas.map(({ certificate }) => certificate.start()));
  for (const other of others) expect(other.main.certPem).toBe(first?.main.certPem);
  for (const { store } of replicas) expect(await store.caBundle()).toBe(current()?.data?.["ca.crt"]);
  const authority = new X509Certificate(Buffer.from(current()?.data?.["ca.crt"] ?? "", "base64"));
  const leaf = new X509Certificate(first?.main.certPem ?? "");
  expect(leaf.verify(authority.publicKey)).toBe(true);
  expect(leaf.checkHost("adapter.monitoring.svc")).toBe("adapter.monitoring.svc");
});

test("a certificate about to expire is replaced, and the authority before stays trusted", async () => {
  const { client, current } = cluster(empty);
  const now = Date.now();
  const before = await replica(client, now).certificate.start();
  const later = replica(client, now + 3640 * dayMs);
  const after = await later.certificate.start();
  expect(after.main.certPem).not.toBe(before.main.certPem);
  const bundle = Buffer.from((await later.store.caBundle()) ?? "", "base64").toString();
  const authorities = bundle.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  expect(authorities).toHaveLength(2);
  const trusts = (pem: string) =>
    authorities.some((authority) =>
      new X509Certificate(pem).verify(new X509Certificate(authority).publicKey),
    );
  expect([trusts(before.main.certPem), trusts(after.main.certPem)]).toEqual([true, true]);
  expect(current()?.metadata.resourceVersion).toBe("3");
});

test("without the Secret the start fails and says which one", async () => {
  await expect(replica(cluster(undefined).client).certificate.start()).rejects.toThrow(
    /Secret monitoring\/adapter-tls of --self-signed-cert-secret can't be read: NotFound/,
  );
});
