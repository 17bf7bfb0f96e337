import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { publicText } from "@plimsoll/core/redact";
import { expect, onTestFinished, test } from "vitest";
import { createPrometheusClient, type PrometheusClientOptions } from "../src/index.ts";
import { ignoredProxies, proxyEnvOf } from "../src/proxy.ts";

const empty = JSON.stringify({ status: "success", data: { resultType: "vector", result: [] } });

/** A proxy that answers by itself, and refuses tunnels. */
async function startProxy(): Promise<{ readonly url: string; readonly targets: readonly string[] }> {
  const targets: string[] = [];
  const server = createServer(({ url = "" }, response) => {
    targets.push(url);
    response.end(empty);
  });
  server.on("connect", ({ url = "" }, socket) => {
    targets.push(`tunnel ${url}`);
    socket.end("HTTP/1.1 502 no\r\n\r\n");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, targets };
}

async function query(options: PrometheusClientOptions): Promise<unknown> {
  const client = createPrometheusClient(options);
  onTestFinished(() => client.close());
  return await client.query("up").catch((error: unknown) => error);
}

test("requests go through the proxy of the environment, those of https by a tunnel", async () => {
  const { url, targets } = await startProxy();
  const proxyEnv = { HTTP_PROXY: url, https_proxy: url, NO_PROXY: "none.invalid" };
  expect(await query({ url: "http://prometheus.invalid:9090/p", proxyEnv })).toMatchObject({
    type: "vector",
  });
  await query({ url: "https://prometheus.invalid", proxyEnv });
  await query({ url: "http://none.invalid", proxyEnv });
  expect(targets).toEqual([
    "http://prometheus.invalid:9090/p/api/v1/query?query=up&timeout=10000ms",
    "tunnel prometheus.invalid:443",
  ]);
});

test("nothing on the loopback device goes through the proxy of the environment, and all of it through the source's own proxy", async () => {
  const [proxy, server] = [await startProxy(), await startProxy()];
  expect(await query({ url: server.url, proxyEnv: { HTTP_PROXY: proxy.url } })).toMatchObject({
    type: "vector",
  });
  expect([proxy.targets.length, server.targets.length]).toEqual([0, 1]);
  await query({ url: "http://prometheus.invalid", proxyUrl: proxy.url, proxyEnv: { NO_PROXY: "*" } });
  expect(proxy.targets).toHaveLength(1);
});

test.each([
  ["10.0.0.0/8,cluster.local", "http://10.96.0.7:9090", true],
  ["10.0.0.0/8", "http://11.0.0.1", false],
  ["fd00::/8", "http://[fd00::1]:9090", true],
  ["cluster.local", "http://prometheus.monitoring.svc.cluster.local:9090", true],
  ["cluster.local", "http://cluster.local", true],
  [".cluster.local", "http://cluster.local", false],
  ["*.svc", "https://prometheus.monitoring.svc", true],
  ["local", "http://prometheus.notlocal", false],
  ["prometheus:9090, other", "http://prometheus:9090", true],
  ["prometheus:9090", "http://prometheus:9091", false],
  ["[fd00::1]:9090,10.0.0.0/99", "http://[fd00::1]:9090", true],
  ["*", "http://prometheus", true],
  ["", "http://prometheus", false],
])("with NO_PROXY=%s a request to %s goes past the proxy: %s", (NO_PROXY, url, isExempt) => {
  const env = proxyEnvOf({ proxyEnv: { http_proxy: "proxy:3128", NO_PROXY } }, { url, isLoopback: false });
  expect(env["HTTP_PROXY"]).toBe(isExempt ? undefined : "http://proxy:3128");
});

test("a password of the proxy that cannot be decoded names the variable, and not the password", () => {
  const proxyEnv = { HTTP_PROXY: "http://u:50%off@proxy:3128", NO_PROXY: "none.invalid" };
  const to = (url: string) => () => proxyEnvOf({ proxyEnv }, { url, isLoopback: false });
  expect(to("http://prometheus")).toThrow(/^HTTP_PROXY has a password that has a "%" without two digits/);
  expect(to("http://none.invalid")()).toEqual({});
});

test.each(["socks5://u:sec-ret@proxy:1080", "http://u:sec-ret@[x", "http://u:sec/ret@proxy"])(
  "a proxy %s is refused, without its password",
  (HTTPS_PROXY) => {
    const server = { url: "https://prometheus", isLoopback: false };
    let message = "";
    try {
      proxyEnvOf({ proxyEnv: { HTTPS_PROXY } }, server);
    } catch (error) {
      message = error instanceof TypeError ? error.message : "";
    }
    expect(message).toMatch(/^HTTPS_PROXY must /);
    expect(message).not.toMatch(/sec|ret@/);
  },
);

test.each(["http", "https"])("a proxy that a server of %s does not use is not refused", (scheme) => {
  const [used, unused] = scheme === "http" ? ["HTTP_PROXY", "HTTPS_PROXY"] : ["HTTPS_PROXY", "HTTP_PROXY"];
  const server = { url: `${scheme}://prometheus`, isLoopback: false };
  for (const text of ["socks5://proxy:1080", "http://u:50%off@proxy:3128"]) {
    const proxyEnv = { [used]: "http://proxy:3128", [unused]: text };
    expect(proxyEnvOf({ proxyEnv }, server)).toEqual({ [used]: "http://proxy:3128" });
  }
});

test("tenants don't see the host of the proxy", () => {
  proxyEnvOf({ proxyUrl: "http://egress.example:3128" }, { url: "https://prometheus", isLoopback: false });
  expect(publicText("via egress.example")).toBe("via (address hidden)");
});

test("a Node.js that ignores proxies is named: the variables of the environment, and a refused proxy of the source", () => {
  const proxyEnv = { HTTP_PROXY: "", https_proxy: "proxy:3128", NO_PROXY: "x" };
  expect([ignoredProxies(proxyEnv, false), ignoredProxies(proxyEnv, true)]).toEqual([["https_proxy"], []]);
  expect(ignoredProxies(proxyEnv)).toEqual([]);
  const server = { url: "http://prometheus", isLoopback: false };
  const proxyUrl = "http://proxy:3128";
  expect(() => proxyEnvOf({ proxyUrl }, server, false)).toThrow(
    /^this version of Node.js ignores HTTP proxies/,
  );
  expect(proxyEnvOf({ proxyEnv: { HTTP_PROXY: proxyUrl } }, server, false)).toEqual({ HTTP_PROXY: proxyUrl });
});
