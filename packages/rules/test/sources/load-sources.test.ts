import { expect, test } from "vitest";
import { loadRules } from "../../src/compile/load.ts";
import { formatProblem } from "../../src/document/problem.ts";
import { checkSources, createNamespaceCheck } from "../../src/sources/check-rules.ts";
import { loadSources } from "../../src/sources/load-sources.ts";

function problems(text: string): readonly string[] {
  const loaded = loadSources(text);
  return loaded.ok ? [] : loaded.problems.map((problem) => formatProblem("sources.yaml", problem));
}

const complete = `
sources:
- name: team-a
  url: https://mimir.example/prometheus
  proxyUrl: http://proxy:3128
  verb: POST
  headers: {X-Scope-OrgID: team-a, X-Tenant: "ns-{namespace}"}
  headersFrom: [{name: X-Other, file: /header}]
  auth: {type: basic, username: adapter, passwordFile: /password}
  tls: {caFile: /ca, certFile: /cert, keyFile: /key, serverName: mimir}
  query: {timeout : 5s, maxAge: 2s, partialResponse: reject, dedup: false, extraLabels: {cluster: eu-1}}
  limits: {concurrency: 20, tenantConcurrency: 8, answerBytes: 16Mi}
  namespaces: [team-a-*]
- {name: plain, url: "http://plain:9090"}
`;

test("reads every field, and has a value for each that is left out", () => {
  expect(loadSources(complete)).toEqual({
    ok: true,
    warnings: [],
    config: {
      sources: [
        {
          name: "team-a",
          url: "https://mimir.example/prometheus",
          proxyUrl: "http://proxy:3128",
          verb: "POST",
          headers: [{ name: "x-scope-orgid", value: "team-a" }],
          tenantHeaders: [{ name: "x-tenant", value: "ns-{namespace}" }],
          headerFiles: [{ name: "x-other", file: "/header" }],
          auth: { type: "basic", username: "adapter", passwordFile: "/password" },
          tls: {
            caFile: "/ca",
            certFile: "/cert",
            keyFile: "/key",
            serverName: "mimir",
            insecureSkipVerify: false,
          },
          parameters: [
            ["partial_response", "false"],
            ["deny_partial_response", "1"],
            ["dedup", "false"],
          ],
          allowsPartial: false,
          extraLabels: [["cluster", "eu-1"]],
          queryTimeoutMs: 5_000,
          resultMaxAgeMs: 2_000,
          concurrency: 20,
          tenantConcurrency: 8,
          maxResponseBytes: 16 * 1024 * 1024,
          namespaces: ["team-a-*"],
        },
        {
          name: "plain",
          url: "http://plain:9090",
          proxyUrl: undefined,
          verb: "GET",
          headers: [],
          tenantHeaders: [],
          headerFiles: [],
          auth: { type: "none" },
          tls: {
            caFile: undefined,
            certFile: undefined,
            keyFile: undefined,
            serverName: undefined,
            insecureSkipVerify: false,
          },
          parameters: [],
          allowsPartial: false,
          extraLabels: [],
          queryTimeoutMs: 10_000,
          resultMaxAgeMs: undefined,
          concurrency: undefined,
          tenantConcurrency: undefined,
          maxResponseBytes: 64 * 1024 * 1024,
          namespaces: undefined,
        },
      ],
    },
  });
});

const source = (fields: string): string => `sources:\n- {name: a, url: "http://a", ${fields}}`;

test.each([
  ["sources: []", /sources: there are no sources: list at least one/],
  ["sources: [{url: http://a}]", /sources\[0\]\.name: is missing: a name for rules/],
  ["sources: [{name: a}]", /sources\[0\]\.url: is missing: the address/],
  ["sources: [{name: A_b, url: http://a}]", /"A_b" must be lower case letters/],
  ["sources: [{name: a, url: ftp://a}]", /must be an http or https URL/],
  ["sources: [{name: a, url: 'http://u:hunter2@a'}]", /must have no user and no password: use auth/],
  ["sources: [{name: a, url: 'http://a?token=hunter2'}]", /must have no query/],
  [
    "sources:\n- {name: a, url: http://a}\n- {name: a, url: http://b}",
    /:3:3: sources\[1\]: the name "a" is taken/,
  ],
  [source("cadence: 1"), /unknown field "cadence"/],
  [source("auth: {}"), /has no type: use one of none, basic, bearer, mtls, oauth2, sigv4, google, azure/],
  [source("auth: {type: kerberos}"), /unknown type "kerberos": use one of/],
  [source("auth: {type: basic, username: a}"), /auth\.passwordFile: is missing/],
  [source("auth: {type: basic, username: 'a:b', passwordFile: /p}"), /must have no colon/],
  [source("auth: {type: bearer, token: hunter2}"), /unknown field "token"/],
  [source("auth: {type: bearer}"), /auth\.tokenFile: is missing: the file with the token/],
  [source("auth: {type: mtls}"), /needs a client certificate/],
  [source("auth: {type: oauth2}"), /tokenUrl: is missing: the address that gives tokens/],
  [source("auth: {type: oauth2, tokenUrl: 'https://u:hunter2@a/'}"), /must have no user and no password/],
  [
    source("auth: {type: oauth2, tokenUrl: https://a, clientSecret: hunter2}"),
    /unknown field "clientSecret"/,
  ],
  [
    source(
      "auth: {type: oauth2, tokenUrl: https://a, clientId: b, clientSecretFile: /s, tokenAuthMethod: jwt}",
    ),
    /"jwt" must be client_secret_basic or client_secret_post/,
  ],
  [
    source("auth: {type: oauth2, tokenUrl: https://a, clientId: b, clientSecretFile: /s, scopes: [a b]}"),
    /"a b" is not a scope: write one, without blanks/,
  ],
  [
    source(
      "auth: {type: oauth2, tokenUrl: https://a, clientId: b, clientSecretFile: /s, parameters: {client_secret: hunter2}}",
    ),
    /client_secret is set by other fields: remove it/,
  ],
  [source("auth: {type: sigv4}"), /auth\.region: is missing: the region, such as "eu-central-1"/],
  [source("auth: {type: sigv4, region: 'a/b'}"), /"a\/b" is not a region/],
  [source("auth: {type: sigv4, region: a, service: A}"), /"A" is not a service/],
  [source("auth: {type: google, scope: 'a b'}"), /"a b" is not a scope/],
  [source("auth: {type: azure, tenantId: a}"), /unknown field "tenantId"/],
  [
    source("auth: {type: sigv4, region: a}, headersFrom: [{name: Authorization, file: /f}]"),
    /authorization, which auth of type sigv4 sets/,
  ],
  [source("query: {partialResponse: maybe}"), /"maybe" must be reject or allow/],
  [source("query: {dedup: maybe}"), /dedup/],
  [source("tls: {certFile: /c}"), /certFile and keyFile must be set together/],
  [source("headers: {Authorization: hunter2}"), /is a secret: name its file in headersFrom/],
  [source("headers: {Host: a}"), /is set by the client: remove it/],
  [
    source("headers: {X-A: '{pod}'}"),
    /"\{pod\}" has braces: only \{namespace\}, the namespace of the request/,
  ],
  [source("headers: {X-A: '{ namespace }'}"), /has braces: only/],
  [source("headers: {X-A: '{{namespace}}'}"), /has braces: only/],
  [source("headers: {X-A: '{namespace'}"), /has braces: only/],
  [source("headers: {'X-{namespace}': a}"), /cannot be the name of a header/],
  [source("headers: {Authorization: '{namespace}'}"), /is a secret: name its file in headersFrom/],
  [source("query: {extraLabels: {__name__: a}}"), /the label "__name__" is Prometheus's own/],
  [source("query: {extraLabels: {'a-b': a}}"), /"a-b" is not the name of a label/],
  [source("query: {extraLabels: {a: ''}}"), /the label has no value/],
  [source("query: {extraLabels: [a]}"), /query\.extraLabels/],
  [source(`query: {extraLabels: {a: ${"x".repeat(257)}}}`), /the value has 257 characters: 256 are allowed/],
  [
    source(`query: {extraLabels: {${Array.from({ length: 11 }, (_, at) => `l${at}: v`).join(", ")}}}`),
    /there are 11 labels: 10 are allowed/,
  ],
  [source('headers: {X-A: "a\\nB: c"}'), /a character that no header may have/],
  [source("headers: {X-A: a}, headersFrom: [{name: x-a, file: /f}]"), /is there twice/],
  [
    source("auth: {type: bearer, tokenFile: /t}, headersFrom: [{name: Authorization, file: /f}]"),
    /authorization, which auth of type bearer sets/,
  ],
  [source("query: {timeout : 10}"), /query\.timeout: "10" must be a duration such as "10s"/],
  [source("query: {timeout : 2m}"), /must be a duration.*to 60s/],
  [source("limits: {tenantConcurrency: 0}"), /must be a whole number from 1 to 48/],
  [
    source("limits: {concurrency: 4, tenantConcurrency: 5}"),
    /tenantConcurrency: "5" must be a whole number from 1 to 4/,
  ],
  [source("limits: {concurrency: 0}"), /must be a whole number from 1 to 48/],
  [source("limits: {answerBytes: 64MB}"), /must be a size such as "64Mi"/],
  [source("namespaces: []"), /no request may use the source/],
  [source("namespaces: ['team.*']"), /must be the name of a namespace/],
])("refuses %s", (text, expected) => {
  const found = problems(text);
  expect(found.join("\n")).toMatch(expected);
  expect(found.join("\n")).not.toContain("hunter2");
});

test("reports all problems at once, with their positions", () => {
  const found = problems("sources:\n- url: ftp://a\n  verb: PUT\n- name: b\n");
  expect(found).toEqual([
    'sources.yaml:2:3: sources[0].name: is missing: a name for rules to use, such as "team-a"',
    'sources.yaml:2:8: sources[0].url: "ftp://a" must be an http or https URL',
    'sources.yaml:3:9: sources[0].verb: "PUT" must be GET or POST',
    "sources.yaml:4:3: sources[1].url: is missing: the address of the server",
  ]);
});

test.each([
  ["sigv4, region: eu-central-1", { region: "eu-central-1", service: "aps", profile: undefined }],
  ["sigv4, region: a, service: b, profile: c", { region: "a", service: "b", profile: "c" }],
  ["google", { credentialsFile: undefined, scope: "https://www.googleapis.com/auth/monitoring.read" }],
  ["google, credentialsFile: /f, scope: s", { credentialsFile: "/f", scope: "s" }],
  ["azure", { clientId: undefined, scope: "https://prometheus.monitor.azure.com/.default" }],
  ["azure, clientId: a, scope: s", { clientId: "a", scope: "s" }],
])("reads auth of type %s", (text, expected) => {
  const loaded = loadSources(source(`auth: {type: ${text}}`));
  const [type] = text.split(",");
  expect(loaded.ok && loaded.config.sources[0]?.auth).toEqual({ type, ...expected });
});

test("reads OAuth 2.0, and warns of a secret that is sent in the clear", () => {
  const auth = "type: oauth2, tokenUrl: 'http://a/token', clientId: b, clientSecretFile: /s";
  const loaded = loadSources(source(`auth: {${auth}, scopes: [c], parameters: {audience: d}, caFile: /ca}`));
  expect(loaded.ok && loaded.config.sources[0]?.auth).toEqual({
    type: "oauth2",
    tokenUrl: "http://a/token",
    clientId: "b",
    clientSecretFile: "/s",
    tokenAuthMethod: "client_secret_basic",
    scopes: ["c"],
    parameters: [["audience", "d"]],
    caFile: "/ca",
  });
  expect(loaded.warnings.map(({ message }) => message)).toEqual([
    "anyone in between can read the client's secret: use https",
  ]);
});

test("bounds the number of sources", () => {
  const many = Array.from({ length: 33 }, (_, at) => `- {name: s${at}, url: "http://a"}`);
  expect(problems(`sources:\n${many.join("\n")}`)).toEqual([
    "sources.yaml:2:1: sources: there are 33 sources: 32 are allowed",
  ]);
});

const rules = `
rules:
- {seriesQuery: a, metricsQuery: a, source: team-a}
- {seriesQuery: b, metricsQuery: b, source: team-x}
resourceRules: {window: 1m, source: team-a}
`;

test("a rule that names an unknown source, and usage of a confined one, are problems", () => {
  const loaded = loadRules(rules, "rules.yaml");
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  expect(loaded.rules.custom.map((rule) => rule.source)).toEqual(["team-a", "team-x"]);
  const sources = [
    { name: "default", namespaces: undefined },
    { name: "team-a", namespaces: ["team-a-*"] },
  ];
  expect(checkSources(loaded.rules, sources).map((problem) => formatProblem("rules.yaml", problem))).toEqual([
    'rules.yaml:4:45: rules[1].source: there is no source "team-x": use one of default, team-a',
    "rules.yaml:5:37: resourceRules.source: the source team-a serves some namespaces only, and resourceRules are for all: use another source",
  ]);
  const tenants = {
    name: "team-a",
    namespaces: undefined,
    tenantHeaders: [{ name: "x", value: "{namespace}" }],
  };
  const found = checkSources(loaded.rules, [...sources.slice(0, 1), tenants, { ...tenants, name: "team-x" }]);
  expect(found.map((problem) => formatProblem("rules.yaml", problem))).toEqual([
    "rules.yaml:3:45: rules[0].source: the source team-a has a tenant for each namespace, so that its series cannot be listed: use another source, or MetricRules",
    "rules.yaml:4:45: rules[1].source: the source team-x has a tenant for each namespace, so that its series cannot be listed: use another source, or MetricRules",
    "rules.yaml:5:37: resourceRules.source: the source team-a has a tenant for each namespace, so that its series cannot be listed: use another source, or MetricRules",
  ]);
  const implied = loadRules("externalRules: [{seriesQuery: a, metricsQuery: a}]", "rules.yaml");
  if (!implied.ok) throw new Error(JSON.stringify(implied.problems));
  expect(checkSources(implied.rules, [{ ...tenants, name: "default" }])).toMatchObject([
    { path: "externalRules", message: expect.stringContaining("the source default has a tenant for each") },
  ]);
  const confined = loadRules("resourceRules: {window: 1m}", "rules.yaml");
  if (!confined.ok) throw new Error(JSON.stringify(confined.problems));
  expect(checkSources(confined.rules, [{ name: "default", namespaces: ["a"] }])).toHaveLength(1);
  expect(checkSources(confined.rules, [{ name: "default", namespaces: undefined }])).toEqual([]);
});

test.each([
  [["team-a-*"], "team-a-web", true],
  [["team-a-*"], "team-a", false],
  [["team-a-*"], "xteam-a-web", false],
  [["*"], "anything", true],
  [["a*b*c"], "a-b-b-c", true],
  [["a*b*c"], "a-b-b-d", false],
  [["x", "y"], "y", true],
  [["x"], "xx", false],
  [["*a*a*a*a*a*a*a*a*a*a*a*b"], "a".repeat(63), false],
])("namespaces %j: %s is %s", (patterns, namespace, expected) => {
  expect(createNamespaceCheck(patterns)(namespace)).toBe(expected);
});
