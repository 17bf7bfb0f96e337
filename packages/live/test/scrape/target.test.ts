import { expect, test } from "vitest";
import { type LivePod, networks, targetOf } from "../../src/scrape/target.ts";

const pod = (change: Partial<LivePod> = {}): LivePod => ({
  name: "web-1",
  uid: "7f",
  isReady: true,
  ip: "10.244.1.7",
  isOfNode: false,
  ports: [
    { container: "proxy", name: "admin", number: 9901 },
    { container: "main", name: "metrics", number: 8080 },
  ],
  ...change,
});
const any = { allowsNodes: false, allowed: undefined };
const metrics = { port: "metrics", path: "/metrics", scheme: "http" } as const;

test("a declared port is found by its name or its number", () => {
  expect(targetOf(pod(), metrics, any)).toEqual({
    key: "7f:8080",
    pod: "web-1",
    isReady: true,
    container: "main",
    origin: "http://10.244.1.7:8080",
    path: "/metrics",
  });
  expect(targetOf(pod(), { port: 9901, path: "/stats", scheme: "https" }, any)).toMatchObject({
    container: "proxy",
    origin: "https://10.244.1.7:9901",
    path: "/stats",
  });
  expect(targetOf(pod({ ip: "fd00::7" }), metrics, any)).toMatchObject({ origin: "http://[fd00::7]:8080" });
});

test.each([
  [{ ports: [] }, "declares no container port metrics"],
  [{ isOfNode: true }, "uses the network of its node"],
  [{ ip: "kubernetes.default.svc" }, "is not an IP address"],
  [{ ip: "127.0.0.1" }, "the address 127.0.0.1, which is not scraped"],
  [{ ip: "169.254.169.254" }, "is not scraped"],
  [{ ip: "0.0.0.0" }, "is not scraped"],
  [{ ip: "255.255.255.255" }, "is not scraped"],
  [{ ip: "::1" }, "is not scraped"],
  [{ ip: "::127.0.0.1" }, "is not scraped"],
  [{ ip: "64:ff9b::a9fe:a9fe" }, "is not scraped"],
  [{ ip: "::ffff:127.0.0.1" }, "is not scraped"],
  [{ ip: "fe80::1" }, "is not scraped"],
  [{ ip: "ff02::1" }, "is not scraped"],
] as const)("a pod with %j is not scraped", (change, reason) => {
  expect(targetOf(pod(change), metrics, any)).toContain(reason);
});

test("the administrator names the networks of pods, and allows those of nodes", () => {
  const rules = { allowsNodes: true, allowed: networks(["10.244.0.0/16", "fd00::/8"]) };
  expect(targetOf(pod({ isOfNode: true }), metrics, rules)).toMatchObject({ pod: "web-1" });
  expect(targetOf(pod({ ip: "fd00::7" }), metrics, rules)).toMatchObject({ pod: "web-1" });
  expect(targetOf(pod({ ip: "10.245.0.1" }), metrics, rules)).toContain("see --live-pod-cidrs");
  expect(
    targetOf(pod({ ip: "127.0.0.1" }), metrics, { ...rules, allowed: networks(["127.0.0.0/8"]) }),
  ).toMatchObject({
    pod: "web-1",
  });
  for (const text of ["10.0.0.0", "10.0.0.0/33", "10.0.0.0/8/8", "pods", "10.0.0.0/-1"])
    expect(() => networks([text])).toThrow(/./);
});
