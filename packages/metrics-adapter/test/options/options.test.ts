import { expect, test } from "vitest";
import type { AdapterOptions } from "../../src/options/compile.ts";
import { flags } from "../../src/options/flags.ts";
import { parseOptions } from "../../src/options/options.ts";

const names = Object.keys(flags);

function accepted(...args: string[]): { options: AdapterOptions; warnings: readonly string[] } {
  const result = parseOptions(["--config=r.yaml", ...args], "1.0.0");
  if (result.type !== "options") {
    throw new Error(JSON.stringify(result));
  }
  return result;
}

function problems(...args: string[]): readonly string[] {
  const result = parseOptions(args, "1.0.0");
  if (result.type !== "problems") {
    throw new Error(`accepted: ${JSON.stringify(result)}`);
  }
  return result.problems;
}

test("the defaults are prometheus-adapter's", () => {
  expect(accepted().options).toMatchObject({
    configFile: "r.yaml",
    relistIntervalMs: 600_000,
    maxAgeMs: 600_000,
    listTimeoutMs: 60_000,
    prometheus: { url: "https://localhost", verb: "GET", headers: {}, usesServiceAccount: false },
    serving: {
      address: "0.0.0.0",
      port: 443,
      certDir: "apiserver.local.config/certificates",
      minVersion: "TLSv1.2",
    },
    authentication: {
      looksUpConfigMap: true,
      tokenTtlMs: 10_000,
      files: { clientCaFile: undefined, requestHeader: undefined },
    },
    authorization: { alwaysAllowPaths: ["/healthz", "/readyz", "/livez"], deniedTtlMs: 10_000 },
    verbosity: 0,
  });
});

test("the chart begins with the program's own path; no other argument is without a flag", () => {
  const args = ["/adapter", "--config=r.yaml", "--logtostderr=true"];
  expect(parseOptions(args, "1.0.0")).toMatchObject({ type: "options", options: { configFile: "r.yaml" } });
  expect(problems("--config=r.yaml", "/adapter")).toEqual([
    expect.stringContaining("unexpected argument number 2"),
  ]);
  expect(problems("adapter")).toContainEqual(expect.stringContaining("unexpected argument number 1"));
});

test("a --metrics-max-age of zero is the relist interval", () => {
  expect(accepted("--metrics-max-age=0s").options.maxAgeMs).toBe(600_000);
});

test("the chart's command line means what it meant", () => {
  const { options, warnings } = accepted(
    "--secure-port=6443",
    "--tls-cert-file=/var/run/serving-cert/tls.crt",
    "--tls-private-key-file=/var/run/serving-cert/tls.key",
    "--cert-dir=",
    "--prometheus-url=http://prometheus.default.svc:9090/prefix",
    "--metrics-relist-interval=1m",
    "--v=4",
  );
  expect(warnings).toEqual([]);
  expect(options).toMatchObject({
    relistIntervalMs: 60_000,
    maxAgeMs: 60_000,
    prometheus: { url: "http://prometheus.default.svc:9090/prefix" },
    serving: {
      port: 6443,
      certDir: undefined,
      files: { certFile: "/var/run/serving-cert/tls.crt", keyFile: "/var/run/serving-cert/tls.key" },
    },
    verbosity: 4,
  });
});

test("kube-prometheus's cipher list is understood", () => {
  const { options } = accepted(
    "--tls-cipher-suites=TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,TLS_RSA_WITH_AES_128_GCM_SHA256,TLS_AES_128_GCM_SHA256",
    "--tls-min-version=VersionTLS13",
  );
  expect(options.serving).toMatchObject({
    ciphers:
      "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:ECDHE-RSA-AES128-GCM-SHA256:AES128-GCM-SHA256",
    minVersion: "TLSv1.3",
  });
});

test("flags are spelled as in Go", () => {
  const { options } = accepted(
    "--secure-port",
    "8443",
    "--prometheus-auth-incluster",
    "--prometheus-query-timeout=20s",
    "--authentication-skip-lookup=T",
    "--disable-http2=false",
    "-v",
    "6",
    "--prometheus-header=X-Scope-OrgID=a=b",
    "--prometheus-header",
    "X-Other=1",
    "--authorization-always-allow-paths=/healthz,/metrics",
    "--authorization-always-allow-paths=/livez/*",
    "--metrics-max-age=1h0m0.5s",
    "--requestheader-client-ca-file=/ca",
    "--requestheader-username-headers=X-User,X-Other",
  );
  expect(options).toMatchObject({
    maxAgeMs: 3_600_500,
    verbosity: 6,
    serving: { port: 8443 },
    prometheus: {
      usesServiceAccount: true,
      queryTimeoutMs: 20_000,
      headers: { "X-Scope-OrgID": "a=b", "X-Other": "1" },
    },
    authentication: {
      looksUpConfigMap: false,
      files: {
        requestHeader: {
          usernameHeaders: ["x-user", "x-other"],
          groupHeaders: ["x-remote-group"],
          allowedNames: [],
        },
      },
    },
    authorization: { alwaysAllowPaths: ["/healthz", "/metrics", "/livez/*"] },
  });
});

test("every problem is reported at once", () => {
  expect(
    problems(
      "--metrics-relist-interval=soon",
      "--secure-port=70000",
      "--prometheus-verb=PUT",
      "--prometheus-query-timeout=0s",
      "--prometheus-url=ftp://x",
      "--prometheus-header=novalue",
      "--tls-cert-file=/a",
      "--tls-min-version=VersionTLS10",
      "--tls-cipher-suites=TLS_RSA_WITH_RC4_128_SHA",
      "--tls-sni-cert-key=only-one",
      "--prometheus-auth-incluster",
      "--prometheus-auth-config=/kc",
      "--prometheus-client-tls-key-file=/k",
      "--authentication-skip-lookup=perhaps",
    ),
  ).toEqual([
    "--config is required: the rules file, in prometheus-adapter's format",
    'invalid value "soon" for --metrics-relist-interval: must be a duration such as "30s" or "1m30s"',
    "--metrics-relist-interval must be longer than zero",
    'invalid value "ftp://x" for --prometheus-url: must be an http or https URL',
    'invalid value "PUT" for --prometheus-verb: must be GET or POST',
    "--prometheus-auth-incluster and --prometheus-auth-config can't be combined",
    "--prometheus-client-tls-cert-file and --prometheus-client-tls-key-file must be set together",
    'invalid value "0s" for --prometheus-query-timeout: must be above 0s; by default it is the time left for the request',
    "invalid value number 1 for --prometheus-header (not shown): must be key=value",
    "--tls-cert-file and --tls-private-key-file must be set together",
    'invalid value "VersionTLS10" for --tls-min-version: must be VersionTLS12 or VersionTLS13',
    "unknown or insecure cipher suite in --tls-cipher-suites: TLS_RSA_WITH_RC4_128_SHA",
    'invalid value "70000" for --secure-port: must be a whole number from 0 to 65535',
    'invalid value "only-one" for --tls-sni-cert-key: must be CERT,KEY or CERT,KEY:NAME,NAME',
    'invalid value "perhaps" for --authentication-skip-lookup: must be true or false',
  ]);
});

test("a certificate that replicas share is a Secret's, and only its CA is published", () => {
  expect(problems("--config=r", "--self-signed-cert-secret=tls", "--tls-cert-file=/a")).toEqual([
    "--tls-cert-file and --tls-private-key-file must be set together",
    'invalid value "tls" for --self-signed-cert-secret: must be NAMESPACE/NAME',
    "--self-signed-cert-secret and --tls-cert-file can't be combined",
  ]);
  expect(problems("--config=r", "--publish-ca-bundle-to=v1beta1.metrics.k8s.io")).toEqual([
    "--publish-ca-bundle-to needs --self-signed-cert-secret",
  ]);
});

test("unknown flags are all named", () => {
  expect(problems("--config=r", "--nope", "--also=1", "-c", "x")).toEqual([
    "unknown flag: --nope",
    "unknown flag: --also",
    "unknown flag: -c",
    "unexpected argument number 5 (not shown): put quotes around values with spaces",
  ]);
  expect(problems("--config=r", "--secure-port")[0]).toContain("--secure-port");
  expect(problems("--config=r", "--metrics-relist-interval=10m", "--metrics-max-age=5m")).toEqual([
    "--metrics-max-age must not be less than --metrics-relist-interval",
  ]);
});

test("upstream's other flags are accepted with a warning that says why", () => {
  const { warnings } = accepted(
    "--audit-log-path=-",
    "--logtostderr=true",
    "--client-qps=100.5",
    "--profiling",
  );
  expect(warnings).toEqual([
    "--client-qps has no effect: Plimsoll has no client-side rate limit",
    "--profiling has no effect: Plimsoll has no profiling endpoint",
    "--logtostderr has no effect: the log is JSON on standard output",
    "--audit-log-path has no effect: requests are logged with --v=6 instead",
  ]);
});

test("--help and --version are texts, and every flag is in the help", () => {
  const help = parseOptions(["--help"], "1.0.0");
  expect(help.type).toBe("text");
  const text = help.type === "text" ? help.text : "";
  expect(names.filter((name) => !text.includes(`--${name} `))).toEqual([]);
  expect(parseOptions(["--version"], "1.0.0")).toEqual({ type: "text", text: "1.0.0\n" });
});

test("for a mistyped flag the error suggests the right one", () => {
  expect(problems("--config=r.yaml", "--promtheus-url=http://u:p@h")).toEqual([
    "unknown flag: --promtheus-url; did you mean --prometheus-url?",
  ]);
});
