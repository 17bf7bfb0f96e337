import { manualClock } from "@plimsoll/component-base/testing";
import type { AccessSpec } from "@plimsoll/kube";
import {
  type Authorization,
  type AuthorizerOptions,
  createAuthorizer,
  type User,
} from "@plimsoll/kube/serving";
import { expect, test } from "vitest";

interface Request {
  readonly namespace: string;
  readonly metric: string;
}

const hpaController: User = { name: "hpa", uid: undefined, groups: [], extra: {} };

function setUp(allows: (spec: AccessSpec) => boolean, options: Partial<AuthorizerOptions<Request>> = {}) {
  const clock = manualClock(1_800_000_000_000);
  const reviews: AccessSpec[] = [];
  const authorizer = createAuthorizer<Request>({
    specOf: ({ name, groups }, { namespace, metric }) => ({
      user: name,
      groups,
      resourceAttributes: {
        namespace,
        verb: "get",
        group: "custom.metrics.k8s.io",
        resource: "pods",
        subresource: metric,
        name: "*",
      },
    }),
    keyOf: ({ namespace, metric }) =>
      `get\n/apis/custom.metrics.k8s.io/v1beta2/namespaces/${namespace}/pods/*/${metric}`,
    wildcardKeyOf: () => "get\ncustom.metrics.k8s.io",
    review: async (spec) => {
      reviews.push(spec);
      return { allowed: allows(spec), reason: "" };
    },
    clock,
    allowedTtlMs: 10_000,
    deniedTtlMs: 10_000,
    timeoutMs: 10_000,
    maxEntries: 65_536,
    maxBytes: 32 * 1024 * 1024,
    ...options,
  });
  const authorize = (request: Request, user = hpaController) => authorizer.authorize(user, request);
  return { clock, reviews, authorize };
}

const isWildcard = ({ resourceAttributes }: AccessSpec) => resourceAttributes?.resource === "*";

function requestsOf(namespaces: number, metrics: number): readonly Request[] {
  return Array.from({ length: namespaces * metrics }, (_, n) => ({
    namespace: `team-${Math.floor(n / metrics)}-production`,
    metric: `http_requests_per_second_${n % metrics}`,
  }));
}

test("who may read all metrics in all namespaces is reviewed once for all of them", async () => {
  const { authorize, reviews } = setUp(isWildcard);
  for (const request of requestsOf(10_000, 4)) {
    const decided: Authorization | Promise<Authorization> = authorize(request);
    expect(await decided).toEqual({ type: "allowed", source: "review" });
  }
  expect(reviews).toEqual([
    {
      user: "hpa",
      groups: [],
      resourceAttributes: { verb: "get", group: "custom.metrics.k8s.io", resource: "*" },
    },
  ]);
  expect(authorize({ namespace: "other", metric: "m" })).toEqual({ type: "allowed", source: "review" });
});

test("without that permission each request is reviewed, and one of another user allows nothing", async () => {
  const { authorize, reviews } = setUp(({ user, resourceAttributes }) =>
    user === "hpa" ? resourceAttributes?.namespace === "mine" : resourceAttributes?.resource === "*",
  );
  const eve: User = { ...hpaController, name: "eve" };
  const types: string[] = [];
  for (const [namespace, user] of [
    ["mine", hpaController],
    ["other", hpaController],
    ["other", eve],
    ["mine", hpaController],
  ] as const)
    types.push((await authorize({ namespace, metric: "m" }, user)).type);
  expect(types).toEqual(["allowed", "denied", "allowed", "allowed"]);
  expect(reviews.map((spec) => `${spec.user} ${spec.resourceAttributes?.resource}`)).toEqual([
    "hpa *",
    "hpa pods",
    "hpa pods",
    "eve *",
  ]);
});

test("a permission by wildcard that is withdrawn ends with its time", async () => {
  let isAllowed = true;
  const { authorize, clock, reviews } = setUp(() => isAllowed);
  const request = { namespace: "ns", metric: "m" };
  await authorize(request);
  isAllowed = false;
  await clock.advance(9999);
  expect((await authorize(request)).type).toBe("allowed");
  await clock.advance(1);
  expect((await authorize(request)).type).toBe("denied");
  expect(reviews).toHaveLength(3);
});

test("when no decision comes, nothing is allowed, after one timeout", async () => {
  const { authorize, clock } = setUp(() => false, { review: () => new Promise(() => undefined) });
  const decided = authorize({ namespace: "ns", metric: "m" });
  await clock.advance(10_000);
  expect((await decided).type).toBe("unknown");
});

test("requests of 10,000 autoscalers with four metrics each fit: a second cycle is not reviewed", async () => {
  const { authorize, reviews } = setUp((spec) => !isWildcard(spec));
  const requests = requestsOf(10_000, 4);
  for (const request of requests) await authorize(request);
  const first = reviews.length;
  for (const request of requests) expect(authorize(request)).not.toBeInstanceOf(Promise);
  expect([first, reviews.length]).toEqual([40_001, 40_001]);
});

test.each([
  [1100, 0.65],
  [2000, 0.35],
  [10_000, 0.02],
])("%i requests in turn over a cache of 1,000 still hit, at least in the share %f", async (count, share) => {
  const { authorize, reviews } = setUp((spec) => !isWildcard(spec), { maxEntries: 1000 });
  const requests = requestsOf(count, 1);
  for (const request of requests) await authorize(request);
  const before = reviews.length;
  for (const request of requests) await authorize(request);
  const hits = 1 - (reviews.length - before) / count;
  expect(hits).toBeGreaterThanOrEqual(share);
});

test("junk does not keep others out for longer than its time", async () => {
  const timers = manualClock(0);
  const limits = { maxEntries: 1000, after: timers.after };
  const { authorize, clock, reviews } = setUp((spec) => !isWildcard(spec), limits);
  for (const request of requestsOf(5000, 1)) await authorize(request, { ...hpaController, name: "junk" });
  await clock.advance(10_000);
  await timers.advance(10_000);
  const requests = requestsOf(500, 1).map(({ metric }, n) => ({ namespace: `good-${n}`, metric }));
  for (const request of requests) await authorize(request);
  const before = reviews.length;
  for (const request of requests) await authorize(request);
  expect(reviews.length).toBe(before);
});

test("who is in groups with long names is reviewed each time, and takes no place of others", async () => {
  const { authorize, reviews } = setUp(() => false, { wildcardKeyOf: () => undefined });
  for (const length of [1_000, 1_000, 10_000, 10_000])
    await authorize({ namespace: "ns", metric: "m" }, { ...hpaController, groups: ["g".repeat(length)] });
  expect(reviews.map(({ groups }) => groups?.join().length)).toEqual([1_000, 10_000, 10_000]);
});
