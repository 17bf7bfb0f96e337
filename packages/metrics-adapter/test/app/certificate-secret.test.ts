import { X509Certificate } from "node:crypto";
import { systemClock } from "@plimsoll/component-base";
import { dayMs } from "@plimsoll/core/internal/values";
import { ApiError, type KubeClient, type KubeRequest } from "@plimsoll/kube";
import { createServingCertificate } from "@plimsoll/kube/serving";
import { createAuthority } from "@plimsoll/kube/testing";
import { silentLog } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { createCertificateSecret } from "../../src/app/certificate-secret.ts";

const secret = { namespace: "monitoring", name: "adapter-tls" };

interface Stored {
  readonly metadata: { readonly resourceVersion: string };
  readonly data?: Readonly<Record<string, string>>;
}

/** One Secret, with the API server's rule about resource versions. */
function cluster(
  initial: Stored | undefined,
  isReadOnly = false,
): {
  readonly client: KubeClient;
  readonly current: () => Stored | undefined;
} {
  let stored = initial;
  const request = async ({ method = "GET", path, body }: KubeRequest): Promise<unknown> => {
    expect(path).toBe("/api/v1/namespaces/monitoring/secrets/adapter-tls");
    if (stored === undefined) throw failure(404, "NotFound");
    if (method === "GET") return stored;
    expect(method).toBe("PUT");
    if (isReadOnly) throw failure(403, "Forbidden");
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
const base64 = (text: string) => Buffer.from(text).toString("base64");

function replica(client: KubeClient, nowMs = Date.now(), info: (fields: object) => void = () => undefined) {
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
    log: { ...silentLog, info },
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

test.each(["tls.crt", "tls.key"])(
  "without its %s, the Secret gets a new pair and keeps its rest",
  async (key) => {
    const data = { "tls.crt": base64("old"), "tls.key": base64("old"), other: base64("mine") };
    const { client, current } = cluster({ ...empty, data: { ...data, [key]: undefined } });
    const logged: unknown[] = [];
    const { main } = await replica(client, Date.now(), (fields) => logged.push(fields)).certificate.start();
    expect(current()?.data).toEqual({
      "tls.crt": base64(main.certPem),
      "tls.key": base64(main.keyPem),
      "ca.crt": expect.any(String),
      other: base64("mine"),
    });
    expect(logged).toEqual([expect.objectContaining({ reason: "there is none yet", isStored: true })]);
  },
);

test("the two authorities before stay trusted, without any that expired or cannot be read", async () => {
  const now = Date.now();
  const [a, b, expired] = await Promise.all(
    [now + dayMs, now + dayMs, now - 1].map((end) => createAuthority("ca", { notAfter: new Date(end) })),
  );
  const [first, second, old] = [a, b, expired].map((authority) => authority?.pem ?? "");
  const broken = "-----BEGIN CERTIFICATE-----\nbroken\n-----END CERTIFICATE-----\n";
  const kept = async (bundle: string) => {
    const { client, current } = cluster({ ...empty, data: { "ca.crt": base64(bundle) } });
    const { store } = replica(client, now);
    await store.load();
    await store.save({ certPem: "", keyPem: "", caPem: "new\n" });
    return Buffer.from(current()?.data?.["ca.crt"] ?? "", "base64").toString();
  };
  expect(await kept(`${first}${second}${first}`)).toBe(`new\n${first}${second}`);
  expect(await kept(`${old}${first}`)).toBe(`new\n${first}`);
  expect(await kept(`${broken}${first?.trimEnd()}`)).toBe(`new\n${first?.trimEnd()}`);
  expect(await kept("nothing")).toBe("new\n");
});

test.each([
  ["can't be read: NotFound", undefined],
  ["cannot be written: Forbidden", empty],
])("a start whose Secret %s fails, and names it", async (problem, initial) => {
  const error = await replica(cluster(initial, true).client)
    .certificate.start()
    .catch((error: unknown) => error);
  expect(error).toMatchObject({
    message: `the Secret monitoring/adapter-tls of --self-signed-cert-secret ${problem} by the test`,
    cause: expect.any(ApiError),
  });
});
