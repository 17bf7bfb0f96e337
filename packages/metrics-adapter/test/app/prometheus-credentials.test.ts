import { createServer } from "node:http";
import { systemClock } from "@plimsoll/component-base";
import { manualClock } from "@plimsoll/component-base/testing";
import { listen, until } from "@plimsoll/testbed/world";
import { expect, onTestFinished, test } from "vitest";
import { connectPrometheus } from "../../src/app/prometheus-connection.ts";
import { readPrometheusCredentials } from "../../src/app/prometheus-credentials.ts";
import type { PrometheusOptions } from "../../src/options/compile.ts";
import { recordingLog } from "../http/fakes.ts";
import { parsedOptions } from "../http/harness.ts";

const files = new Map([
  ["/var/run/secrets/kubernetes.io/serviceaccount/token", "sa-token\n"],
  ["/var/run/secrets/kubernetes.io/serviceaccount/ca.crt", "sa-ca"],
  ["/ca", "own-ca"],
  ["/cert", "own-cert"],
  ["/key", "own-key"],
  ["/token", "own-token\n"],
  ["/etc/kc/client.crt", "kc-cert"],
  [
    "/etc/kc/config",
    JSON.stringify({
      "current-context": "b",
      contexts: [
        { name: "a", context: { cluster: "a", user: "a" } },
        { name: "b", context: { cluster: "b", user: "b" } },
      ],
      clusters: [
        { name: "b", cluster: { "certificate-authority-data": Buffer.from("kc-ca").toString("base64") } },
      ],
      users: [
        { name: "a", user: { token: "wrong" } },
        {
          name: "b",
          user: { token: "kc-token", "client-certificate": "client.crt", username: "u", password: "p" },
        },
      ],
    }),
  ],
]);

async function readText(path: string): Promise<string> {
  const text = files.get(path);
  if (text === undefined) {
    throw new Error(`ENOENT: ${path}`);
  }
  return text;
}

function options(...flags: string[]): PrometheusOptions {
  return parsedOptions(flags).prometheus;
}

test.each([
  [[], { token: undefined, tls: {}, authorization: undefined }],
  [["--prometheus-token-file=/token"], { token: "own-token", tls: {} }],
  [["--prometheus-auth-incluster"], { token: "sa-token", tls: { ca: "sa-ca" } }],
  [["--prometheus-auth-incluster", "--prometheus-ca-file=/ca"], { token: undefined, tls: { ca: "own-ca" } }],
  [
    ["--prometheus-client-tls-cert-file=/cert", "--prometheus-client-tls-key-file=/key"],
    { token: undefined, tls: { cert: "own-cert", key: "own-key" } },
  ],
  [
    ["--prometheus-auth-config=/etc/kc/config"],
    { token: "kc-token", tls: { ca: "kc-ca", cert: "kc-cert" }, authorization: "Basic dTpw" },
  ],
])("%j", async (flags, expected) => {
  expect(await readPrometheusCredentials(options(...flags), readText)).toMatchObject(expected);
});

test("a rotated token is used without a restart, and headers go along", async () => {
  const seen: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers.authorization, String(request.headers["x-scope-orgid"]));
    response.end('{"status":"success","data":{"resultType":"vector","result":[]}}');
  });
  const { port } = await listen(server);
  const clock = manualClock(systemClock.nowMs());
  const log = recordingLog();
  const client = await connectPrometheus(
    options(
      `--prometheus-url=http://127.0.0.1:${port}`,
      "--prometheus-token-file=/token",
      "--prometheus-header=X-Scope-OrgID=tenant",
    ),
    { readText, clock, log },
  );
  onTestFinished(() => client.close());
  await client.query("up");
  files.set("/token", "next-token");
  await clock.advance(10_000);
  await until("the token is read again", () => log.lines.some((line) => line.message.endsWith("reloaded")));
  await client.query("up");
  expect(seen).toEqual(["Bearer own-token", "tenant", "Bearer next-token", "tenant"]);
  files.delete("/token");
  await clock.advance(10_000);
  await until("the missing file is noticed", () => log.lines.some((line) => line.level === "warn"));
  await client.query("up");
  expect(seen.at(-2)).toBe("Bearer next-token");
});

test.each(["users: [{user: {password: *s3cret}}]", "users:\n- user:\n    token: s3cret\n   broken"])(
  "a kubeconfig that cannot be parsed is refused without its secrets: %j",
  async (text) => {
    const reading = readPrometheusCredentials(options("--prometheus-auth-config=/kc"), async () => text);
    const error: unknown = await reading.catch((reason: unknown) => reason);
    expect(String(error)).toContain("/kc is not valid YAML");
    expect(`${String(error)} ${String((error as Error).cause)}`).not.toContain("s3cret");
  },
);

test.each([
  ["s3cret", "/kc: current-context is not one of the contexts"],
  ["[s3cret]", "/kc: current-context is not one of the contexts"],
  ["", "/kc: current-context is not one of the contexts"],
  ["users: [{name: u, user: {token: s3cret}}]", "/kc: current-context is not one of the contexts"],
  ["{current-context: c, contexts: s3cret}", '/kc: no "c" under contexts'],
  ["{current-context: c, contexts: [null]}", '/kc: no "c" under contexts'],
  ["{current-context: c, contexts: [{name: c, context: {user: u}}]}", '/kc: no "u" under users'],
  [
    "{current-context: c, contexts: [{name: c, context: {cluster: k}}], clusters: [{name: a}]}",
    '/kc: no "k" under clusters',
  ],
])(
  "a kubeconfig without the credentials that it names is refused, not taken for none: %j",
  async (text, message) => {
    const reading = readPrometheusCredentials(options("--prometheus-auth-config=/kc"), async () => text);
    await expect(reading).rejects.toThrow(message);
  },
);
