// Which source a rule uses, which it can use, and what is sent to it.
import { expect, test } from "vitest";
import {
  checkSources,
  fetchedAuth,
  formatProblem,
  loadRules,
  loadSources,
  readFilled,
  readSourceCredentials,
  rulesOfSource,
  type SourceConfig,
  usableSources,
} from "../../src/index.ts";

function sources(text: string): readonly SourceConfig[] {
  const loaded = loadSources(`sources: [${text}]`);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return loaded.config.sources;
}

function rules(text: string) {
  const loaded = loadRules(text, "rules.yaml");
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return loaded.rules;
}

const [a, b] = ["{name: a, url: 'http://a'}", "{name: b, url: 'http://b', namespaces: [x]}"];
const tenants = "{name: t, url: 'http://t', headers: {x: '{namespace}'}}";

test("the source of the flags is there unless the file has one of its name", () => {
  expect(usableSources(sources(a)).map(({ name }) => name)).toEqual(["default", "a"]);
  expect(usableSources(sources("{name: default, url: 'http://a'}"))).toHaveLength(1);
});

const query = "seriesQuery: x, metricsQuery: 'x{<<.LabelMatchers>>}'";
const all = `rules:\n- {${query}}\n- {${query}, source: a}\nexternalRules:\n- {${query}, source: a}\n- {${query}}\nresourceRules: {source: b}\n`;

test("the rules of each source", () => {
  const paths = (name: string) => {
    const { custom, external, resource } = rulesOfSource(rules(all), name);
    return [...custom.map(({ path }) => path), ...external.map(({ path }) => path), resource?.source];
  };
  expect(paths("default")).toEqual(["rules[0]", "externalRules[1]", undefined]);
  expect(paths("a")).toEqual(["rules[1]", "externalRules[0]", undefined]);
  expect(paths("b")).toEqual(["b"]);
});

const noDefault = 'there is no source "default": use one of a, b';
test.each<[string, string, readonly string[]]>([
  [
    all,
    `${a}, ${b}`,
    [
      "7:25: resourceRules.source: the source b serves some namespaces only, and resourceRules are for all: use another source",
      `1:1: rules: ${noDefault}`,
      `1:1: externalRules: ${noDefault}`,
    ],
  ],
  ["resourceRules: {}", `${a}, ${b}`, [`1:1: resourceRules: ${noDefault}`]],
  [`rules: [{${query}, source: b}]`, `${a}, ${b}`, []],
  [
    `externalRules: [{${query}, source: t}]`,
    tenants,
    [
      "1:81: externalRules[0].source: the source t has a tenant for each namespace, so that its series cannot be listed: use another source, or MetricRules",
    ],
  ],
])("%j with the sources %s", (text, given, expected) => {
  const found = checkSources(rules(text), sources(given));
  expect(found.map((problem) => formatProblem("", problem).slice(1))).toEqual(expected);
});

const files: Readonly<Record<string, string>> = {
  "/ca": "CA\n",
  "/cert": "CERT",
  "/key": "KEY",
  "/password": "p w\r\n",
  "/token": " tok\n",
  "/header": "h\t1\n",
  "/empty": " \n",
  "/odd": "a\u0000b",
};
const read = async (file: string): Promise<string> => files[file] ?? "";

test.each<[string, unknown]>([
  ["headers: {x-a: '1'}", { headers: { "x-a": "1" }, tls: {} }],
  [
    "headersFrom: [{name: X-B, file: /header}], auth: {type: bearer, tokenFile: /token}",
    { headers: { "x-b": "h\t1", authorization: "Bearer tok" }, tls: {} },
  ],
  [
    "auth: {type: basic, username: me, passwordFile: /password}, tls: {insecureSkipVerify: true}",
    { headers: { authorization: `Basic ${btoa("me:p w")}` }, tls: { insecureSkipVerify: true } },
  ],
  [
    "tls: {caFile: /ca, certFile: /cert, keyFile: /key, serverName: s}",
    { headers: {}, tls: { ca: "CA\n", cert: "CERT", key: "KEY", serverName: "s" } },
  ],
  ["tls: {caFile: /empty}", "/empty is empty"],
  ["auth: {type: bearer, tokenFile: /empty}", "/empty is empty"],
  ["auth: {type: bearer, tokenFile: /odd}", "/odd has a character that no header may have"],
  ["auth: {type: basic, username: me, passwordFile: /empty}", "/empty is empty"],
])("what is sent to a source with %s", async (fields, expected) => {
  const [source] = sources(`{name: a, url: 'https://a', ${fields}}`);
  if (source === undefined) throw new Error("no source");
  expect(await readSourceCredentials(source, read).catch((error: Error) => error.message)).toEqual(expected);
  expect(fetchedAuth(source.auth)).toBeUndefined();
});

test("a credential that is fetched, and a file that has one", async () => {
  const [source] = sources(
    "{name: a, url: 'https://a', auth: {type: oauth2, tokenUrl: 'https://b', clientId: i, clientSecretFile: /s}}",
  );
  expect(source && fetchedAuth(source.auth)).toBe(source?.auth);
  expect(await readFilled("/ca", read)).toBe("CA\n");
});
