// Reads a file of backends into their compiled form.
import { redact } from "@plimsoll/core/redact";
import {
  openDocument,
  type Place,
  type Problem,
  type RulesDocument,
  readBytes,
  readDuration,
  readInteger,
  readOptional,
  readRequired,
  readTexts,
} from "@plimsoll/rules";
import {
  type BackendConfig,
  type FederatedGroup,
  type FederationConfig,
  federatedGroups,
} from "./federation-config.ts";
import { readAddress } from "./read-address.ts";
import { readMatch } from "./read-match.ts";

/** The backends of a file, or every problem that stops it from loading. */
export type LoadedFederation =
  | { readonly ok: true; readonly config: FederationConfig; readonly warnings: readonly Problem[] }
  | { readonly ok: false; readonly problems: readonly Problem[]; readonly warnings: readonly Problem[] };

/** A file of this size has thousands of patterns. */
const maxFileLength = 256 * 1024;
/** Each has connections, a circuit breaker and series of its own. */
const maxBackends = 16;
/** A request to us has at most 60 s. */
const timeouts = { min: 100, max: 60_000 };
const defaultTimeoutMs = 10_000;
const concurrencies = { min: 1, max: 200 };
const defaultConcurrency = 32;
const mebibyte = 1024 * 1024;
/** An answer is parsed in one piece, during which nothing else runs. */
const answers = { min: 1024, max: 16 * mebibyte };
/** Values of about 6,000 pods. */
const defaultAnswerBytes = 2 * mebibyte;

/** Reads a file of backends. Reports every problem, not the first. */
export function loadFederation(text: string): LoadedFederation {
  const isLong = text.length > maxFileLength;
  const document = openDocument(isLong ? "" : text);
  if (isLong)
    document.problem(document.root, `the file has ${text.length} letters: ${maxFileLength} are allowed`);
  if (document.problems.length > 0) return refused(document);
  const root = document.fields(document.root, ["backends"]);
  const places = document.items(root.backends);
  if (places.length === 0 && document.problems.length === 0)
    document.problem(
      root.backends,
      "there are no backends: list at least one, with name, service and groups",
    );
  if (places.length > maxBackends)
    document.problem(root.backends, `there are ${places.length} backends: ${maxBackends} are allowed`);
  const backends = places.slice(0, maxBackends).map((place) => readBackend(document, place));
  const names = new Set<string>();
  for (const [index, { name }] of backends.entries()) {
    const place = places[index];
    if (place !== undefined && name !== "" && names.has(name))
      document.problem(
        place,
        `the name ${JSON.stringify(name)} is taken by another backend: choose another one`,
      );
    names.add(name);
  }
  if (document.problems.length > 0) return refused(document);
  return { ok: true, config: { backends }, warnings: document.warnings };
}

function refused({ problems, warnings }: RulesDocument): LoadedFederation {
  return {
    ok: false,
    problems: [...problems].sort((a, b) => a.line - b.line || a.column - b.column),
    warnings,
  };
}

function readBackend(document: RulesDocument, place: Place): BackendConfig {
  const fields = document.fields(place, [
    "name",
    "service",
    "url",
    "caBundleFile",
    "insecureSkipTLSVerify",
    "tokenFile",
    "groups",
    "match",
    "timeout",
    "limits",
  ]);
  const limits = document.fields(fields.limits, ["concurrency", "answerBytes"]);
  return {
    name: readName(document, fields.name, place),
    ...readAddress(document, fields, place),
    ...readTls(document, fields),
    tokenFile: readFile(document, fields.tokenFile),
    groups: readGroups(document, fields.groups, place),
    match: readMatch(document, fields.match),
    timeoutMs: readDuration(document, fields.timeout, timeouts) ?? defaultTimeoutMs,
    concurrency: readInteger(document, limits.concurrency, concurrencies) ?? defaultConcurrency,
    maxAnswerBytes: readBytes(document, limits.answerBytes, answers) ?? defaultAnswerBytes,
  };
}

function readName(document: RulesDocument, place: Place, owner: Place): string {
  const name = readRequired(document, place, owner, 'a name for messages and metrics, such as "keda"');
  if (name !== "" && !/^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/.test(name))
    document.problem(
      place,
      `${JSON.stringify(redact(name))} must be lower case letters, digits and "-", at most 63, with no "-" at an end`,
    );
  return name;
}

function readTls(
  document: RulesDocument,
  fields: { readonly caBundleFile: Place; readonly insecureSkipTLSVerify: Place },
): Pick<BackendConfig, "caBundleFile" | "insecureSkipTlsVerify"> {
  const caBundleFile = readFile(document, fields.caBundleFile);
  const insecureSkipTlsVerify = document.flag(fields.insecureSkipTLSVerify) ?? false;
  if (insecureSkipTlsVerify && caBundleFile !== undefined)
    document.problem(
      fields.insecureSkipTLSVerify,
      "makes caBundleFile useless: remove one of them, rather this one",
    );
  else if (insecureSkipTlsVerify)
    document.warn(
      fields.insecureSkipTLSVerify,
      "whoever is in between can read the token of our service account and change the metrics: name the CA in caBundleFile",
    );
  return { caBundleFile, insecureSkipTlsVerify };
}

/** A path that does not depend on where the process was started. */
function readFile(document: RulesDocument, place: Place): string | undefined {
  const path = readOptional(document, place);
  if (path !== undefined && !path.startsWith("/"))
    document.problem(place, `${JSON.stringify(redact(path))} must be an absolute path`);
  return path;
}

function readGroups(document: RulesDocument, place: Place, owner: Place): readonly FederatedGroup[] {
  const known = federatedGroups.join(" and ");
  if (document.isAbsent(place)) {
    document.problem({ path: place.path, node: owner.node }, `is missing: list ${known}, or one of them`);
    return [];
  }
  const texts = readTexts(document, place);
  if (texts.length === 0) document.problem(place, `is empty: list ${known}, or one of them`);
  const groups = texts.flatMap((text) => federatedGroups.find((group) => group === text) ?? []);
  for (const text of texts) {
    if (text === "" || federatedGroups.some((group) => group === text)) continue;
    const shown = JSON.stringify(redact(text));
    const why =
      text === "metrics.k8s.io" ? "has one owner, metrics-server or us" : "is not a group of metrics";
    document.problem(place, `${shown} ${why}: the groups of a backend are ${known}`);
  }
  return [...new Set(groups)];
}
