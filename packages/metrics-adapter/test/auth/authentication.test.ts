import { manualClock } from "@plimsoll/component-base/testing";
import { createAuthority, type Identity, issue } from "@plimsoll/kube/testing";
import { until } from "@plimsoll/testbed/world";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type Answer, ask, askAs, type Harness, startAdapter } from "../http/harness.ts";

const path = "/apis/external.metrics.k8s.io/v1beta1/namespaces/default/queue_depth";
const admin = { "X-Remote-User": "admin", "X-Remote-Group": "system:masters" };

let harness: Harness;
let bob: Identity;

beforeAll(async () => {
  harness = await startAdapter();
  bob = await issue(harness.pki.clientCa, "O=developers,O=team-a,CN=bob");
});
afterAll(async () => {
  await harness.adapter.stop();
});
beforeEach(() => {
  harness.kube.accessReviews.length = 0;
  harness.kube.tokenReviews.length = 0;
  harness.kube.onAccessReview = async ({ resourceAttributes }) => ({
    allowed: resourceAttributes?.["resource"] !== "*",
  });
  harness.kube.onTokenReview = async () => ({ authenticated: false });
});

function reviewed(): unknown {
  const { user, groups } = harness.kube.accessReviews.at(-1) ?? {};
  return { user, groups };
}

test("a front proxy speaks for its user, whose groups and extras are kept", async () => {
  const answer = await askAs(harness, path, {
    user: "jürgen",
    groups: ["dev,ops", "team"],
    headers: {
      "X-Remote-Uid": "u-1",
      "X-Remote-Extra-Scopes": ["a", "b"],
      "X-Remote-Extra-Example.com%2FTenant": "t1",
    },
  });
  expect(answer.code).toBe(200);
  expect(harness.kube.accessReviews.at(-1)).toMatchObject({
    groups: ["dev,ops", "team", "system:authenticated"],
    extra: { scopes: ["a", "b"], "example.com/tenant": ["t1"] },
    resourceAttributes: {
      namespace: "default",
      verb: "list",
      group: "external.metrics.k8s.io",
      version: "v1beta1",
      resource: "queue_depth",
    },
  });
  expect(harness.kube.accessReviews.at(-1)).not.toHaveProperty("uid");
});

test("user names arrive as UTF-8", async () => {
  await askAs(harness, path, { user: Buffer.from("jürgen", "utf8").toString("latin1"), groups: ["utf8"] });
  expect(harness.kube.accessReviews.at(-1)?.user).toBe("jürgen");
});

test("system:masters needs no review", async () => {
  const answer = await askAs(harness, path);
  expect(answer.code).toBe(200);
  expect(harness.kube.accessReviews).toEqual([]);
});

test("spoofed headers without a certificate give no identity", async () => {
  const answer = await ask(harness, { path, headers: admin });
  expect(answer.code).toBe(403);
  expect(answer.json().message).toContain('User "system:anonymous" cannot list resource "queue_depth"');
  expect(harness.kube.accessReviews).toEqual([]);
});

test("a client certificate makes its holder himself, whatever his headers say", async () => {
  const answer = await ask(harness, { path, headers: admin, identity: bob });
  expect(answer.code).toBe(200);
  expect(reviewed()).toEqual({ user: "bob", groups: ["developers", "team-a", "system:authenticated"] });
  expect(harness.kube.accessReviews.at(-1)?.extra).toEqual({
    "authentication.kubernetes.io/credential-id": [expect.stringMatching(/^X509SHA256=[0-9a-f]{64}$/)],
  });
});

test("a certificate of the cluster CA with the proxy's name is not a proxy", async () => {
  const impostor = await issue(harness.pki.clientCa, "CN=front-proxy-client");
  const answer = await ask(harness, { path, headers: admin, identity: impostor });
  expect(answer.code).toBe(200);
  expect(reviewed()).toEqual({ user: "front-proxy-client", groups: ["system:authenticated"] });
});

interface Refusal {
  readonly name: string;
  readonly identity: (harness: Harness) => Promise<Identity>;
  readonly headers?: Record<string, string | string[]>;
}

const past = { notBefore: new Date(Date.now() - 3e9), notAfter: new Date(Date.now() - 1e9) };
const future = { notBefore: new Date(Date.now() + 1e9), notAfter: new Date(Date.now() + 3e9) };

const refusals: readonly Refusal[] = [
  {
    name: "signed by the front-proxy CA under a name that is not allowed",
    identity: ({ pki }) => issue(pki.proxyCa, "CN=other-client"),
  },
  {
    name: "signed by an unknown CA",
    identity: async () => issue(await createAuthority("unknown-ca"), "CN=front-proxy-client"),
  },
  {
    name: "signed by a CA that only shares the trusted one's name",
    identity: async () => issue(await createAuthority("front-proxy-ca"), "CN=front-proxy-client"),
  },
  { name: "expired", identity: ({ pki }) => issue(pki.proxyCa, "CN=front-proxy-client", past) },
  { name: "not valid yet", identity: ({ pki }) => issue(pki.proxyCa, "CN=front-proxy-client", future) },
  {
    name: "meant for servers",
    identity: ({ pki }) => issue(pki.proxyCa, "CN=front-proxy-client", { usage: "server" }),
  },
  {
    name: "with an unknown critical extension",
    identity: ({ pki }) =>
      issue(pki.proxyCa, "CN=front-proxy-client", {
        criticalExtension: "1.2.3.4.5",
      }),
  },
  {
    name: "signed by a leaf that is no authority",
    identity: async ({ pki }) => {
      const middle = await createAuthority("middle", { issuer: pki.proxyCa });
      // Only the leaf is sent: the middle is missing.
      return issue(middle, "CN=front-proxy-client");
    },
  },
  {
    name: "below an authority that may have none below it",
    identity: async ({ pki }) => {
      const first = await createAuthority("first", { issuer: pki.proxyCa, pathLength: 0 });
      const second = await createAuthority("second", { issuer: first });
      return issue(second, "CN=front-proxy-client", { chain: second.pem + first.pem });
    },
  },
  { name: "good, but naming no user", identity: async ({ pki }) => pki.proxy, headers: {} },
  {
    name: "good, but with an empty user",
    identity: async ({ pki }) => pki.proxy,
    headers: { "X-Remote-User": "" },
  },
  {
    name: "good, but naming two users",
    identity: async ({ pki }) => pki.proxy,
    headers: { "X-Remote-User": ["admin", "bob"] },
  },
];

test.each(refusals)("a front-proxy certificate $name is refused", async ({ identity, headers }) => {
  const answer = await ask(harness, { path, headers: headers ?? admin, identity: await identity(harness) });
  expect(answer.code).toBe(401);
  expect(answer.json()).toEqual({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: "Unauthorized",
    reason: "Unauthorized",
    code: 401,
  });
  expect(harness.kube.accessReviews).toEqual([]);
});

test("an intermediate authority is followed when it is sent along", async () => {
  const middle = await createAuthority("middle", { issuer: harness.pki.proxyCa });
  const proxy = await issue(middle, "CN=second-proxy", { chain: middle.pem, usage: "none" });
  const answer = await ask(harness, { path, headers: admin, identity: proxy });
  expect(answer.code).toBe(200);
});

test.each(["X-Remote-User", "keep-alive, x-remote-group", "Authorization", "x-remote-extra-foo"])(
  "Connection: %s is refused, because it takes an identity header away",
  async (connection) => {
    const answer = await askAs(harness, path, { headers: { Connection: connection } });
    expect(answer.code).toBe(400);
    expect(answer.json().message).toBe("the Connection header must not name an identity header");
  },
);

test("impersonation is refused", async () => {
  const answer = await askAs(harness, path, { headers: { "Impersonate-User": "bob" } });
  expect(answer.code).toBe(403);
  expect(answer.json().reason).toBe("Forbidden");
});

test("a token is reviewed once and remembered", async () => {
  harness.kube.onTokenReview = async () => ({
    authenticated: true,
    user: {
      username: "system:serviceaccount:monitoring:prometheus",
      uid: "7",
      groups: ["system:serviceaccounts"],
    },
  });
  const headers = { Authorization: "bearer good-token", ...admin };
  const answers = await Promise.all([1, 2, 3].map(() => ask(harness, { path, headers })));
  expect(answers.map((answer) => answer.code)).toEqual([200, 200, 200]);
  expect(harness.kube.tokenReviews).toEqual(["good-token"]);
  expect(harness.kube.accessReviews.at(-1)).toMatchObject({
    user: "system:serviceaccount:monitoring:prometheus",
    uid: "7",
    groups: ["system:serviceaccounts", "system:authenticated"],
  });
});

test("a bad token is refused and remembered; one that cannot be reviewed is refused and reviewed again", async () => {
  const bad = { path, headers: { Authorization: "Bearer bad" } };
  expect([(await ask(harness, bad)).code, (await ask(harness, bad)).code]).toEqual([401, 401]);
  expect(harness.kube.tokenReviews).toEqual(["bad"]);
  harness.kube.onTokenReview = async () => {
    throw new Error("kube-apiserver is away");
  };
  const unknown = { path, headers: { Authorization: "Bearer other" } };
  const answers = [await ask(harness, unknown), await ask(harness, unknown)];
  expect(answers.map(({ code }) => code)).toEqual([503, 503]);
  expect(answers[0]?.json().message).toContain("the API server did not review the caller's token");
  expect(harness.kube.tokenReviews).toEqual(["bad", "other", "other"]);
});

test("a token that the API server does not take is not valid, whatever it says; missing reviews are in the log, seldom", async () => {
  const clock = manualClock(Date.now());
  const own = await startAdapter({ clock, pki: harness.pki });
  const asked = (token: string): Promise<Answer> =>
    ask(own, { path, headers: { Authorization: `Bearer ${token}` } });
  const reasons = (): readonly unknown[] =>
    own.log.lines.flatMap(({ message, fields }) =>
      message === "could not review a token" ? [fields["reason"]] : [],
    );
  own.kube.onTokenReview = async () => ({ authenticated: false, error: "[invalid bearer token]" });
  expect([(await asked("wrong")).code, (await asked("wrong")).code]).toEqual([401, 401]);
  expect(own.kube.tokenReviews).toEqual(["wrong"]);
  expect(reasons()).toEqual([]);
  own.kube.onTokenReview = async () => {
    throw new Error("tokenreviews is forbidden");
  };
  for (const token of ["a", "b", "c"]) await asked(token);
  expect(reasons()).toEqual(["tokenreviews is forbidden"]);
  await clock.advance(10_000);
  await asked("d");
  expect(reasons()).toHaveLength(2);
  const stopped = own.adapter.stop();
  await clock.advance(10_000);
  await stopped;
});

test("a token counts even beside a certificate that proves nothing", async () => {
  harness.kube.onTokenReview = async () => ({ authenticated: true, user: { username: "eve", groups: [] } });
  const unknown = await issue(await createAuthority("unknown-ca"), "CN=x");
  const answer = await ask(harness, { path, identity: unknown, headers: { Authorization: "Bearer eves" } });
  expect(answer.code).toBe(200);
  expect(reviewed()).toEqual({ user: "eve", groups: ["system:authenticated"] });
});

test("too many tokens under review do not hold up those with certificates", async () => {
  const release: (() => void)[] = [];
  harness.kube.onTokenReview = () =>
    new Promise((resolve) => {
      release.push(() => resolve({ authenticated: false }));
    });
  const junk = Array.from({ length: 64 }, (_, index) =>
    ask(harness, { path, headers: { Authorization: `Bearer junk-${index}` } }),
  );
  await until("64 tokens are under review", () => release.length === 64);
  const crowded = await ask(harness, { path, headers: { Authorization: "Bearer one-more" } });
  expect(crowded.code).toBe(429);
  expect(crowded.headers["retry-after"]).toBe("1");
  expect((await askAs(harness, path)).code).toBe(200);
  for (const go of release) {
    go();
  }
  expect((await Promise.all(junk)).every((answer) => answer.code === 401)).toBe(true);
});

test("only the always-allowed paths are open to everybody", async () => {
  for (const open of ["/healthz", "/livez", "/readyz", "/readyz?verbose"]) {
    expect((await ask(harness, { path: open })).code).toBe(200);
  }
  for (const closed of ["/", "/healthz/ping", "/metrics", "/version", "/apis", "/openapi/v2", "/nothing"]) {
    const answer = await ask(harness, { path: closed });
    expect(answer.code).toBe(403);
    expect(answer.json()).toMatchObject({
      message: `forbidden: User "system:anonymous" cannot get path "${closed}"`,
      reason: "Forbidden",
      details: {},
    });
  }
});
