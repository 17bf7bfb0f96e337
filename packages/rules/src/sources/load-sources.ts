// Reads a file of sources into their compiled form.
import { mebibyte } from "@plimsoll/core/internal/values";
import { redact } from "@plimsoll/core/redact";
import type { Place, RulesDocument } from "../document/document.ts";
import {
  readBytes,
  readChoice,
  readDuration,
  readInteger,
  readName,
  readOptional,
  readRequired,
  readTexts,
  readTimeout,
  readUrl,
} from "./fields.ts";
import { type Loaded, loadNamedEntries } from "./named-entries.ts";
import { readAuth } from "./read-auth.ts";
import { readExtraLabels } from "./read-extra-labels.ts";
import { readHeaders } from "./read-headers.ts";
import type { SourceConfig, SourcesConfig, SourceTls } from "./source-config.ts";

/** Each has connections and caches of its own. */
const maxSources = 32;
const ages = { min: 0, max: 300_000 };
/** The client has 64 connections, of which discovery has some. */
const concurrencies = { min: 1, max: 48 };
const responses = { min: 1024, max: 512 * mebibyte };
const defaultResponseBytes = 64 * mebibyte;

/** Reads a file of sources. Reports every problem, not the first. */
export function loadSources(text: string): Loaded<SourcesConfig> {
  return loadNamedEntries(text, {
    field: "sources",
    needed: "name and url",
    most: maxSources,
    read: readSource,
  });
}

function readSource(document: RulesDocument, place: Place): SourceConfig {
  const fields = document.fields(place, [
    "name",
    "url",
    "proxyUrl",
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
  return {
    name: readName(document, fields.name, place, 'a name for rules to use, such as "team-a"'),
    url,
    proxyUrl: document.isAbsent(fields.proxyUrl)
      ? undefined
      : readUrl(document, fields.proxyUrl, document.text(fields.proxyUrl)),
    verb: readChoice(document, fields.verb, ["GET", "POST"]) ?? "GET",
    ...headers,
    auth,
    tls,
    ...readQueryOptions(document, fields.query),
    ...readLimits(document, fields.limits),
    namespaces: readNamespaces(document, fields.namespaces),
  };
}

function readLimits(
  document: RulesDocument,
  place: Place,
): Pick<SourceConfig, "concurrency" | "tenantConcurrency" | "maxResponseBytes"> {
  const fields = document.fields(place, ["concurrency", "tenantConcurrency", "answerBytes"]);
  const concurrency = readInteger(document, fields.concurrency, concurrencies);
  return {
    concurrency,
    tenantConcurrency: readInteger(document, fields.tenantConcurrency, {
      ...concurrencies,
      max: concurrency ?? concurrencies.max,
    }),
    maxResponseBytes: readBytes(document, fields.answerBytes, responses) ?? defaultResponseBytes,
  };
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
    document.problem(place, "certFile and keyFile must be set together: set both or none");
  const insecureSkipVerify = document.flag(fields.insecureSkipVerify) ?? false;
  if (insecureSkipVerify)
    document.warn(
      fields.insecureSkipVerify,
      "anyone in between can read the credentials and change the metrics: use caFile",
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
): Pick<SourceConfig, "queryTimeoutMs" | "resultMaxAgeMs" | "parameters" | "allowsPartial" | "extraLabels"> {
  const fields = document.fields(place, ["timeout", "maxAge", "partialResponse", "dedup", "extraLabels"]);
  const partial = readChoice(document, fields.partialResponse, ["reject", "allow"]);
  const dedup = document.flag(fields.dedup);
  return {
    parameters: [
      ...(partial === undefined ? [] : partialParameters[partial]),
      ...(dedup === undefined ? [] : [["dedup", String(dedup)] as const]),
    ],
    allowsPartial: partial === "allow",
    extraLabels: readExtraLabels(document, fields.extraLabels),
    queryTimeoutMs: readTimeout(document, fields.timeout),
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
