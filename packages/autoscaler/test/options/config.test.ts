import { expect, test } from "vitest";
import { helpText, readCommandLine } from "../../src/options/command-line.ts";
import { compileConfig } from "../../src/options/config.ts";
import { flags } from "../../src/options/flags.ts";

function compile(...argv: string[]) {
  return compileConfig(readCommandLine(argv));
}

function problems(...argv: string[]): readonly string[] {
  const compiled = compile(...argv);
  return compiled.ok ? [] : compiled.problems;
}

test("the defaults are those of kube-controller-manager, and nothing is written", () => {
  expect(compile()).toMatchObject({
    ok: true,
    config: {
      namespaces: [],
      manageHpas: "none",
      syncPeriodMs: 15_000,
      downscaleStabilizationMs: 300_000,
      tolerance: 0.1,
      cpuInitializationPeriodMs: 300_000,
      initialReadinessDelayMs: 30_000,
      concurrentSyncs: 5,
      serving: {
        bindAddress: "127.0.0.1",
        port: 8085,
        hasInsecureDecisions: false,
        hasInsecureMetrics: true,
        secure: undefined,
      },
    },
    processConfig: { kubeconfig: undefined, context: undefined, logLevel: "info" },
    warnings: [],
  });
});

test("values are read in both spellings, and --namespace repeats", () => {
  const compiled = compile(
    "--horizontal-pod-autoscaler-sync-period=1m30s",
    "--horizontal-pod-autoscaler-tolerance",
    "5e-2",
    "--namespace",
    "a",
    "--namespace=b",
    "--manage-hpas=annotated",
    "--port=0",
    "--kubeconfig=/k",
    "--context=c",
  );
  expect(compiled).toMatchObject({
    ok: true,
    config: {
      syncPeriodMs: 90_000,
      tolerance: 0.05,
      namespaces: ["a", "b"],
      manageHpas: "annotated",
      serving: { port: 0 },
    },
    processConfig: { kubeconfig: "/k", context: "c" },
  });
});

test("every problem is reported at once, with flag, value and remedy", () => {
  expect(
    problems(
      "--horizontal-pod-autoscaler-sync-period=soon",
      "--horizontal-pod-autoscaler-tolerance=-1",
      "--concurrent-horizontal-pod-autoscaler-syncs=0",
      "--manage-hpas=some",
      "--bind-address=example.org",
      "--port=70000",
      "--namespace=Not_A_Name",
      "--log-level",
      "--bogus",
      "value",
      "--other=1",
      "word",
    ),
  ).toEqual([
    "--bogus is not a flag: see --help for all flags",
    "--other is not a flag: see --help for all flags",
    '"word" is not a flag: flags start with --',
    "--log-level has no value: use --log-level=trace|debug|info|warn|error|fatal|silent",
    '--namespace "Not_A_Name" is not a namespace name: use lower-case letters, digits and dashes; repeat the flag for several namespaces',
    '--manage-hpas "some" must be one of none, annotated, all',
    '--horizontal-pod-autoscaler-sync-period "soon" is not a duration: use one such as "15s" or "1m30s"',
    '--horizontal-pod-autoscaler-tolerance "-1" is out of range: use 0 or more',
    '--concurrent-horizontal-pod-autoscaler-syncs "0" is out of range: use 1 to 10000',
    '--bind-address "example.org" is not an IP address: use one such as "127.0.0.1" or "0.0.0.0"',
    '--port "70000" is out of range: use 0 to 65535',
  ]);
});

test("a zero or negative period is refused, an empty value too", () => {
  expect(problems("--horizontal-pod-autoscaler-sync-period=0")).toHaveLength(1);
  expect(problems("--min-sync-period=500ms")).toHaveLength(1);
  expect(problems("--horizontal-pod-autoscaler-downscale-stabilization=-5m")).toHaveLength(1);
  expect(problems("--port=")).toHaveLength(1);
});

test("HTTPS needs a port, a certificate its key, and decisions without TLS a loopback address", () => {
  expect(
    compile(
      "--secure-port=0",
      "--tls-cert-file=c",
      "--tls-private-key-file=k",
      "--self-signed-cert-hosts=a, b",
    ),
  ).toMatchObject({
    config: {
      serving: {
        secure: {
          port: 0,
          files: { certFile: "c", keyFile: "k" },
          selfSignedHosts: ["a", "b"],
          openPaths: ["/healthz", "/livez", "/readyz"],
        },
      },
    },
  });
  expect(problems("--tls-cert-file=c")).toEqual([
    '--tls-cert-file "c" has no key: also set --tls-private-key-file',
    '--tls-cert-file "c" applies to HTTPS only, which is off: also set --secure-port',
  ]);
  expect(problems("--console-directory=/page")).toEqual([
    '--console-directory "/page" applies to HTTPS only, which is off: also set --secure-port',
  ]);
  expect(problems("--insecure-decisions", "--bind-address=0.0.0.0")).toEqual([
    '--insecure-decisions "true" is not allowed with --bind-address=0.0.0.0: bind to 127.0.0.1, or use --secure-port',
  ]);
  expect(compile("--insecure-decisions", "--bind-address=::1")).toMatchObject({ ok: true });
});

test.each([
  [["--bind-address=127.0.0.1"], true],
  [["--bind-address=0.0.0.0"], false],
  [["--bind-address=0.0.0.0", "--insecure-metrics"], true],
])("%j serves the series of objects over plain HTTP: %s", (flags, hasInsecureMetrics) => {
  expect(compile(...flags)).toMatchObject({ config: { serving: { hasInsecureMetrics } } });
});

test("delays after a scale, the release and scaling to zero are set as given, and off or newest otherwise", () => {
  expect(compile()).toMatchObject({
    config: { upscaleDelayMs: 0, downscaleDelayMs: 0, semantics: "1.37", scaleToZero: true },
  });
  const compiled = compile(
    "--horizontal-pod-autoscaler-upscale-delay=3m0s",
    "--horizontal-pod-autoscaler-downscale-delay=5m",
    "--semantics=1.32",
    "--scale-to-zero=false",
  );
  expect(compiled).toMatchObject({
    config: { upscaleDelayMs: 180_000, downscaleDelayMs: 300_000, semantics: "1.32", scaleToZero: false },
    warnings: [],
  });
  expect(problems("--semantics=1.30")).toEqual([
    '--semantics "1.30" must be one of 1.38, 1.37, 1.36, 1.35, 1.32',
  ]);
});

test("a delay that is not a duration is refused", () => {
  expect(problems("--horizontal-pod-autoscaler-upscale-delay=soon")).toEqual([
    '--horizontal-pod-autoscaler-upscale-delay "soon" is not a duration: use one such as "15s" or "1m30s"',
  ]);
});

test("retired flags are accepted with a warning that names the way out", () => {
  const compiled = compile(
    "--horizontal-pod-autoscaler-use-rest-clients=true",
    "--horizontal-pod-autoscaler-downscale-stabilization-window=7m",
  );
  expect(compiled).toMatchObject({ ok: true, config: { downscaleStabilizationMs: 420_000 } });
  expect(compiled.ok && compiled.warnings).toEqual([
    "--horizontal-pod-autoscaler-downscale-stabilization-window is retired: use --horizontal-pod-autoscaler-downscale-stabilization",
    "--horizontal-pod-autoscaler-use-rest-clients is retired: no effect: metrics always come from the metrics APIs; remove it",
  ]);
});

test("--help names every flag and its default", () => {
  expect(readCommandLine(["--help"]).isHelp).toBe(true);
  const text = helpText();
  for (const name of Object.keys(flags)) expect(text).toContain(`--${name}`);
  expect(text).toContain('(default: "15s")');
});

test("leader election is on, as upstream; shards share leases short enough for one period", () => {
  const led = compileConfig(readCommandLine([]), { podNamespace: "ours" });
  expect(led.ok && led.config.coordination).toEqual({
    mode: "leader",
    leaseDurationMs: 3000,
    renewDeadlineMs: 2500,
    retryPeriodMs: 500,
    resourceName: "plimsoll-autoscaler",
    resourceNamespace: "ours",
  });
  const sharded = compileConfig(readCommandLine(["--shards=8", "--leader-elect"]));
  expect(sharded.ok && sharded.config.coordination).toMatchObject({
    mode: "shards",
    shards: 8,
    leaseDurationMs: 3000,
    renewDeadlineMs: 2500,
    retryPeriodMs: 500,
    resourceNamespace: "kube-system",
  });
  const slow = ["--leader-elect-lease-duration=15s", "--leader-elect-renew-deadline=10s"];
  const long = compileConfig(readCommandLine(["--shards=8", ...slow]));
  expect(long.ok && long.config.coordination).toMatchObject({ leaseDurationMs: 10_000 });
  const alone = compileConfig(readCommandLine(["--leader-elect=false"]));
  expect(alone.ok && alone.config.coordination).toEqual({ mode: "alone" });
  const wrong = compileConfig(readCommandLine(["--leader-elect-renew-deadline=20s", "--leader-elect=maybe"]));
  expect(wrong.ok ? [] : wrong.problems.map((problem) => problem.split(" ")[0])).toEqual([
    "--leader-elect-renew-deadline",
    "--leader-elect",
  ]);
});

test("inputs are recorded into a directory of a size in MiB", () => {
  expect(compile("--record-inputs=/var/record", "--record-inputs-size=16")).toMatchObject({
    config: { recordInputs: { directory: "/var/record", maxBytes: 16_777_216 } },
  });
});
