import { formatProblem } from "@plimsoll/rules";
import { expect, test } from "vitest";
import { loadFederation } from "../../src/config/load-federation.ts";

function problems(text: string): readonly string[] {
  const loaded = loadFederation(text);
  return loaded.ok ? [] : loaded.problems.map((problem) => formatProblem("backends.yaml", problem));
}

function backend(fields: string): string {
  return `backends:\n- name: keda\n  service: {namespace: keda, name: metrics}\n  groups: [external.metrics.k8s.io]\n${fields}`;
}

const complete = `
backends:
- name: keda
  service: {namespace: keda, name: keda-operator-metrics-apiserver, port: 6443}
  caBundleFile: /etc/plimsoll/keda/ca.crt
  tokenFile: /etc/plimsoll/keda/token
  groups: [external.metrics.k8s.io]
  match:
    labelSelectorKeys: [scaledobject.keda.sh/name]
    metrics: ["datadogmetric@*", "/s[0-9]+-.*/"]
    namespaces: [team-*]
  timeout : 3s
  limits: {concurrency: 5, answerBytes: 1Mi}
- name: cloud
  url: https://adapter.example:8443
  insecureSkipTLSVerify: true
  groups: [custom.metrics.k8s.io, external.metrics.k8s.io]
`;

test("reads every field, and has a value for each that is left out", () => {
  const loaded = loadFederation(complete);
  const [keda, cloud] = loaded.ok ? loaded.config.backends : [];
  expect(loaded.ok).toBe(true);
  expect(keda).toMatchObject({
    name: "keda",
    host: "keda-operator-metrics-apiserver.keda.svc",
    port: 6443,
    caBundleFile: "/etc/plimsoll/keda/ca.crt",
    tokenFile: "/etc/plimsoll/keda/token",
    insecureSkipTlsVerify: false,
    groups: ["external.metrics.k8s.io"],
    timeoutMs: 3_000,
    concurrency: 5,
    maxAnswerBytes: 1024 * 1024,
  });
  expect(keda?.match.labelSelectorKeys).toEqual(["scaledobject.keda.sh/name"]);
  expect(keda?.match.metrics?.map(({ source }) => source)).toEqual(["datadogmetric@*", "/s[0-9]+-.*/"]);
  expect(cloud).toEqual({
    name: "cloud",
    host: "adapter.example",
    port: 8443,
    caBundleFile: undefined,
    tokenFile: undefined,
    insecureSkipTlsVerify: true,
    groups: ["custom.metrics.k8s.io", "external.metrics.k8s.io"],
    match: { labelSelectorKeys: undefined, metrics: undefined, namespaces: undefined },
    timeoutMs: 10_000,
    concurrency: 32,
    maxAnswerBytes: 2 * 1024 * 1024,
  });
  expect(loaded.warnings.map((warning) => formatProblem("backends.yaml", warning))).toEqual([
    "backends.yaml:16:26: backends[1].insecureSkipTLSVerify: anyone between can read the adapter's service account token and change metrics: set caBundleFile",
  ]);
});

test("reports every problem at once, each with its place and what to do", () => {
  expect(
    problems(`backends:
- name: Keda_1
  service: {namespace: keda}
  caBundleFile: ca.crt
  groups: [metrics.k8s.io, apps]
  match:
    labelSelectorKeys: ["a b"]
    metrics: ["s[0-9]+", "/(/"]
    namespaces: []
  timeout : 2m
  limits: {concurrency: 0, answerBytes: 1Gi, size: 3}
- name: other
  url: http://user:secret@somewhere/path
  insecureSkipTLSVerify: true
  caBundleFile: /ca.crt
`),
  ).toEqual([
    'backends.yaml:2:9: backends[0].name: "Keda_1" must be lower case letters, digits and "-", at most 63, with no "-" at an end',
    "backends.yaml:3:12: backends[0].service.name: is missing: the name of the Service",
    'backends.yaml:4:17: backends[0].caBundleFile: "ca.crt" must be an absolute path',
    'backends.yaml:5:11: backends[0].groups: "metrics.k8s.io" cannot be federated: metrics-server or Plimsoll owns it: the groups of a backend are custom.metrics.k8s.io and external.metrics.k8s.io',
    'backends.yaml:5:11: backends[0].groups: "apps" is not a group of metrics: the groups of a backend are custom.metrics.k8s.io and external.metrics.k8s.io',
    'backends.yaml:7:24: backends[0].match.labelSelectorKeys: "a b" is not a label key, such as scaledobject.keda.sh/name',
    'backends.yaml:8:14: backends[0].match.metrics: "s[0-9]+" looks like a regular expression: put it between slashes, as in "/s[0-9]+-.*/"',
    'backends.yaml:8:14: backends[0].match.metrics: "/(/" is not a regular expression of RE2: missing closing ): `^(?:()$`',
    "backends.yaml:9:17: backends[0].match.namespaces: is empty, so no request can match: remove it, or list what should match",
    'backends.yaml:10:13: backends[0].timeout: "2m" must be a duration such as "10s", from 0.1s to 60s',
    'backends.yaml:11:25: backends[0].limits.concurrency: "0" must be a whole number from 1 to 200',
    'backends.yaml:11:41: backends[0].limits.answerBytes: "1Gi" must be a size such as "64Mi", from 1024 to 16777216 bytes',
    'backends.yaml:11:46: backends[0].limits.size: unknown field "size": use one of concurrency, answerBytes',
    "backends.yaml:12:3: backends[1].groups: is missing: list custom.metrics.k8s.io and external.metrics.k8s.io, or one of them",
    'backends.yaml:13:8: backends[1].url: "http://***@somewhere/path" must be https://HOST or https://HOST:PORT, with nothing else',
    "backends.yaml:14:26: backends[1].insecureSkipTLSVerify: makes caBundleFile useless: remove insecureSkipTLSVerify",
  ]);
});

test.each([
  ["no file", "", "there are no backends: list at least one, with name, service and groups"],
  ["another field", "backend: []", 'unknown field "backend": did you mean backends?'],
  [
    "a name that is taken",
    `${backend("")}\n${backend("").split("\n").slice(1).join("\n")}`,
    'the name "keda" is taken',
  ],
  [
    "no address",
    "backends: [{name: a, groups: [custom.metrics.k8s.io]}]",
    "is missing: set the namespace and the name",
  ],
  ["two addresses", backend("  url: https://a.example\n"), "combined with service"],
  ["a long file", " ".repeat(300_000), "the file has 300000 characters; at most 262144 are allowed"],
  ["17 backends", `backends: [${"{name: a},".repeat(17)}]`, "there are 17 backends: 16 are allowed"],
  [
    "65 patterns",
    backend(`  match: {metrics: [${"a*,".repeat(65)}]}\n`),
    "has 65 entries; at most 64 are allowed",
  ],
  [
    "a long pattern",
    backend(`  match: {metrics: ["${"a".repeat(257)}"]}\n`),
    "has 257 characters; at most 256 are allowed",
  ],
])("refuses %s", (_what, text, message) => {
  expect(problems(text).join("\n")).toContain(message);
});

test("aliases that refer to each other are refused in time", () => {
  const bomb = Array.from({ length: 30 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}]`).join("\n");
  expect(problems(`a0: &a0 x\n${bomb}\nbackends: *a30`).length).toBeGreaterThan(0);
});
