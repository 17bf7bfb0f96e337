// Reads a file of sources into their compiled form.
import { redact } from "@plimsoll/core/redact";
import { openDocument, type Place, type RulesDocument } from "../document/document.ts";
import type { Problem } from "../document/problem.ts";
import {
  readBytes,
  readChoice,
  readDuration,
  readInteger,
  readOptional,
  readRequired,
  readTexts,
  readUrl,
} from "./fields.ts";
import { readAuth } from "./read-auth.ts";
import { readExtraLabels } from "./read-extra-labels.ts";
import { readHeaders } from "./read-headers.ts";
import type { SourceConfig, SourcesConfig, SourceTls } from "./source-config.ts";

/** The sources of a file, or every problem that stops it from loading. */
export type LoadedSources =
  | { readonly ok: true; readonly config: SourcesConfig; readonly warnings: readonly Problem[] }
  | { readonly ok: false; readonly problems: readonly Problem[]; readonly warnings: readonly Problem[] };

/** Each has connections and caches of its own. */
const maxSources = 32;
/** A request to the adapter has at most 60 s. */
const timeouts = { min: 100, max: 60_000 };
const defaultTimeoutMs = 10_000;
const ages = { min: 0, max: 300_000 };
/** The client has 64 connections, of which discovery has some. */
const concurrencies = { min: 1, max: 48 };
const mebibyte = 1024 * 1024;
const responses = { min: 1024, max: 512 * mebibyte };
const defaultResponseBytes = 64 * mebibyte;

/** Reads a file of sources. Reports every problem, not the first. */
export function loadSources(text: string): LoadedSources {
  const document = openDocument(text);
  if (document.problems.length > 0) return refused(document);
  const root = document.fields(document.root, ["sources"]);
  const places = document.items(root.sources);
  if (places.length === 0 && document.problems.length === 0)
    document.problem(root.sources, "there are no sources: list at least one, with name and url");
  if (places.length > maxSources)
    document.problem(root.sources, `there are ${places.length} sources: ${maxSources} are allowed`);
  const sources = places.slice(0, maxSources).map((place) => readSource(document, place));
  const names = new Set<string>();
  for (const [index, { name }] of sources.entries()) {
    const place = places[index];
    if (place !== undefined && name !== "" && names.has(name))
      document.problem(
        place,
        `the name ${JSON.stringify(name)} is taken by another source: choose another one`,
      );
    names.add(name);
  }
  if (document.problems.length > 0) return refused(document);
  return { ok: true, config: { sources }, warnings: document.warnings };
}

function refused({ problems, warnings }: RulesDocument): LoadedSources {
  return {
    ok: false,
    problems: [...problems].sort((a, b) => a.line - b.line || a.column - b.column),
    warnings,
  };
}

function readSource(document: RulesDocument, place: Place): SourceConfig {
  const fields = document.fields(place, [
    "name",
    "url",
    "verb",
    "headers",
    "headersFrom",
    "auth",
    "tls",
    "query",
    "limits",
    "namespaces",
  ]);
  const url = readUrl(
    document,
    fields.url,
    readRequired(document, fields.url, place, "the address of the server"),
  );
  const headers = readHeaders(document, fields.headers, fields.headersFrom);
  const auth = readAuth(document, fields.auth);
  const tls = readTls(document, fields.tls);
  if (auth.type === "mtls" && tls.certFile === undefined)
    document.problem(fields.auth, "needs a client certificate: write tls with certFile and keyFile");
  const ownsAuthorization = auth.type !== "none" && auth.type !== "mtls";
  if (ownsAuthorization && headers.headerFiles.some(({ name }) => name === "authorization"))
    document.problem(
      fields.headersFrom,
      `has authorization, which auth of type ${auth.type} sets: keep one of them`,
    );
  const limits = document.fields(fields.limits, ["concurrency", "answerBytes"]);
  return {
    name: readName(document, fields.name, place),
    url,
    verb: readChoice(document, fields.verb, ["GET", "POST"]) ?? "GET",
    ...headers,
    auth,
    tls,
    ...readQueryOptions(document, fields.query),
    concurrency: readInteger(document, limits.concurrency, concurrencies),
    maxResponseBytes: readBytes(document, limits.answerBytes, responses) ?? defaultResponseBytes,
    namespaces: readNamespaces(document, fields.namespaces),
  };
}

function readName(document: RulesDocument, place: Place, owner: Place): string {
  const name = readRequired(document, place, owner, 'a name for rules to use, such as "team-a"');
  if (name !== "" && !/^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/.test(name))
    document.problem(
      place,
      `${JSON.stringify(redact(name))} must be lower case letters, digits and "-", at most 63, with no "-" at an end`,
    );
  return name;
}

function readTls(document: RulesDocument, place: Place): SourceTls {
  const fields = document.fields(place, [
    "caFile",
    "certFile",
    "keyFile",
    "serverName",
    "insecureSkipVerify",
  ]);
  const certFile = readOptional(document, fields.certFile);
  const keyFile = readOptional(document, fields.keyFile);
  if ((certFile === undefined) !== (keyFile === undefined))
    document.problem(place, "certFile and keyFile need each other: write both, or none");
  const insecureSkipVerify = document.flag(fields.insecureSkipVerify) ?? false;
  if (insecureSkipVerify)
    document.warn(
      fields.insecureSkipVerify,
      "whoever is in between can read the credentials and change the metrics",
    );
  return {
    caFile: readOptional(document, fields.caFile),
    certFile,
    keyFile,
    serverName: readOptional(document, fields.serverName),
    insecureSkipVerify,
  };
}

/** As Thanos and VictoriaMetrics name it; servers ignore what they do not know. */
const partialParameters: Readonly<Record<"reject" | "allow", SourceConfig["parameters"]>> = {
  reject: [
    ["partial_response", "false"],
    ["deny_partial_response", "1"],
  ],
  allow: [
    ["partial_response", "true"],
    ["deny_partial_response", "0"],
  ],
};

function readQueryOptions(
  document: RulesDocument,
  place: Place,
): Pick<SourceConfig, "queryTimeoutMs" | "resultMaxAgeMs" | "parameters" | "extraLabels"> {
  const fields = document.fields(place, ["timeout", "maxAge", "partialResponse", "dedup", "extraLabels"]);
  const partial = readChoice(document, fields.partialResponse, ["reject", "allow"]);
  const dedup = document.flag(fields.dedup);
  return {
    parameters: [
      ...(partial === undefined ? [] : partialParameters[partial]),
      ...(dedup === undefined ? [] : [["dedup", String(dedup)] as const]),
    ],
    extraLabels: readExtraLabels(document, fields.extraLabels),
    queryTimeoutMs: readDuration(document, fields.timeout, timeouts) ?? defaultTimeoutMs,
    resultMaxAgeMs: readDuration(document, fields.maxAge, ages),
  };
}

function readNamespaces(document: RulesDocument, place: Place): readonly string[] | undefined {
  if (document.isAbsent(place)) return undefined;
  const patterns = readTexts(document, place);
  if (patterns.length === 0)
    document.problem(place, 'is empty, so that no request may use the source: remove it, or write "*"');
  for (const pattern of patterns) {
    if (pattern !== "" && !/^[-a-z0-9*]{1,63}$/.test(pattern))
      document.problem(
        place,
        `${JSON.stringify(redact(pattern))} must be the name of a namespace, in which "*" matches any part`,
      );
  }
  return patterns;
}
