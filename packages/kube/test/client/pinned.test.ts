// A pod behind a forwarded port: by which certificate it is known, and what it gets to see.
import { X509Certificate } from "node:crypto";
import { systemClock } from "@plimsoll/component-base";
import { endpointIdentity, openConnection, openPinnedClient } from "@plimsoll/kube";
import { testFolder } from "@plimsoll/testbed/world";
import { expect, onTestFinished, test } from "vitest";
import { sendJson, status } from "../fake/api-server.ts";
import { startForwardingServer } from "../fake/forwarding-server.ts";
import { clientIdentity, failure, kubeconfig, serve, serverIdentity } from "../fake/tls-server.ts";

const sha256 = new X509Certificate(serverIdentity.cert).fingerprint256.replaceAll(":", "").toLowerCase();
const certificateUser = {
  "client-certificate-data": Buffer.from(clientIdentity.cert).toString("base64"),
  "client-key-data": Buffer.from(clientIdentity.key).toString("base64"),
};

async function setUp(
  user: Record<string, unknown>,
  options: { readonly pin?: string; readonly sendsToken?: boolean } = {},
) {
  const { pin = sha256, sendsToken = true } = options;
  const pod = await serve((seen, res) => {
    if (seen.path === "/none") sendJson(res, 401, status(401, "Unauthorized", "Unauthorized"));
    else if (seen.path === "/endless") res.writeHead(200).write("one");
    else sendJson(res, 200, { hello: "x".repeat(200_000) });
  });
  const port = Number(new URL(pod.url).port);
  const api = await startForwardingServer(port);
  const { access, client } = await openConnection({
    kubeconfig: kubeconfig(testFolder(), api.url, user),
    userAgent: "plimsoll-test/1",
  });
  const rules = { sendsToken };
  const kube = await openPinnedClient(
    access,
    { namespace: "plimsoll", pod: "autoscaler-0", port, sha256: pin },
    { ...rules, userAgent: "plimsoll-test/1", clock: systemClock },
  );
  onTestFinished(async () => {
    await kube.close();
    await client.close();
  });
  return { pod, api, kube, identity: await endpointIdentity(access, rules) };
}

test("a token goes to the pinned certificate, over a connection that is kept", async () => {
  const { kube, api, pod, identity } = await setUp({ token: "canary-token" });
  for (let i = 0; i < 3; i += 1)
    expect(await kube.request({ path: "/x" })).toEqual({ hello: "x".repeat(200_000) });
  expect(identity).toBe("token");
  expect(pod.seen.map(({ headers }) => headers.authorization)).toEqual([
    "Bearer canary-token",
    "Bearer canary-token",
    "Bearer canary-token",
  ]);
  const port = new URL(pod.url).port;
  expect(new Set(api.paths)).toEqual(
    new Set([`/api/v1/namespaces/plimsoll/pods/autoscaler-0/portforward?ports=${port}`]),
  );
  expect(api.authorizations[0]).toBe("Bearer canary-token");
});

test("a client certificate is shown, and no token beside it", async () => {
  const { kube, pod, identity } = await setUp({ ...certificateUser, token: "canary-token" });
  await kube.request({ path: "/x" });
  expect(identity).toBe("certificate");
  expect(pod.seen).toMatchObject([{ clientName: "alice" }]);
  expect(pod.seen[0]?.headers.authorization).toBeUndefined();
});

test.each([
  ["a token", { token: "canary-token" }],
  ["a client certificate", certificateUser],
])("nothing is sent to another certificate: %s", async (_, user) => {
  const { kube, pod } = await setUp(user, { pin: "0".repeat(64) });
  const error = await failure(kube.request({ path: "/x" }));
  expect(error).toMatchObject({
    name: "PinnedCertificateError",
    message: "pod plimsoll/autoscaler-0: its certificate differs from the one in its lease; nothing was sent",
  });
  expect(pod.seen).toEqual([]);
  expect(pod.clientCertificates).toEqual([]);
});

test("without a token that may be sent there is no identity, and nothing is sent", async () => {
  const { kube, pod, api, identity } = await setUp({ token: "canary-token" }, { sendsToken: false });
  expect(identity).toBe("none");
  expect(await failure(kube.request({ path: "/x" }))).toMatchObject({ kind: "credentials" });
  expect([api.paths, pod.seen]).toEqual([[], []]);
});

test.each([
  [401, { name: "ApiError", code: 401 }],
  [
    403,
    {
      code: 403,
      message: expect.stringContaining(
        'needs the verbs get and, from Kubernetes 1.35 on, create on pods/portforward in namespace "plimsoll"',
      ) as string,
    },
  ],
  [404, { code: 404, message: 'pod "autoscaler-0" not found in namespace "plimsoll"' }],
  [503, { code: 503 }],
])("a forwarding that is refused with %i", async (refuse, expected) => {
  const { kube, api } = await setUp({ token: "canary-token" });
  api.behavior = { refuse };
  const error = await failure(kube.request({ path: "/x" }));
  expect(error).toMatchObject(expected);
  expect(String(error)).not.toContain("canary");
});

test("what the kubelet says of the port is the error", async () => {
  const { kube, api } = await setUp({ token: "canary-token" });
  api.behavior = { fail: "connection refused\n" };
  expect(await failure(kube.request({ path: "/x" }))).toMatchObject({
    name: "ConnectionError",
    kind: "refused",
    message: expect.stringContaining("connection refused") as string,
  });
});

test("a port-forward that is cut ends what runs on it, and the next request opens another", async () => {
  const { kube, api, pod } = await setUp({ token: "canary-token" });
  await kube.request({ path: "/x" });
  const stream = await kube.stream({ path: "/endless" });
  const texts: string[] = [];
  const error = await failure(
    (async () => {
      for await (const bytes of stream) {
        texts.push(Buffer.from(bytes).toString());
        api.cut();
      }
    })(),
  );
  expect(texts).toEqual(["one"]);
  expect(error).toMatchObject({ name: "ConnectionError" });
  await kube.request({ path: "/x" });
  expect(api.paths.length).toBeGreaterThan(1);
  expect(pod.seen.length).toBeGreaterThanOrEqual(3);
});

test("a token that the pod does not take is an error of the pod", async () => {
  const { kube } = await setUp({ token: "canary-token" });
  expect(await failure(kube.request({ path: "/none" }))).toMatchObject({ code: 401, reason: "Unauthorized" });
});
