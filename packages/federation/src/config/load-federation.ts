// Reads a file of backends into their compiled form.
import { mebibyte } from "@plimsoll/core/internal/values";
import { redact } from "@plimsoll/core/redact";
import {
  type Loaded,
  loadNamedEntries,
  type Place,
  type RulesDocument,
  readBytes,
  readInteger,
  readName,
  readOptional,
  readTexts,
  readTimeout,
} from "@plimsoll/rules";
import {
  type BackendConfig,
  type FederatedGroup,
  type FederationConfig,
  federatedGroups,
} from "./federation-config.ts";
import { readAddress } from "./read-address.ts";
import { readMatch } from "./read-match.ts";

/** A file of this size has thousands of patterns. */
const maxFileLength = 256 * 1024;
/** Each has connections, a circuit breaker and series of its own. */
const maxBackends = 16;
const concurrencies = { min: 1, max: 200 };
const defaultConcurrency = 32;
/** An answer is parsed in one piece, during which nothing else runs. */
const answers = { min: 1024, max: 16 * mebibyte };
/** Values of about 6,000 pods. */
const defaultAnswerBytes = 2 * mebibyte;

/** Reads a file of backends. Reports every problem, not the first. */
export function loadFederation(text: string): Loaded<FederationConfig> {
  if (text.length > maxFileLength) {
    const message = `the file has ${text.length} characters; at most ${maxFileLength} are allowed`;
    return { ok: false, problems: [{ path: "", line: 1, column: 1, message }], warnings: [] };
  }
  return loadNamedEntries(text, {
    field: "backends",
    needed: "name, service and groups",
    most: maxBackends,
    read: readBackend,
  });
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
    name: readName(document, fields.name, place, 'a name for messages and metrics, such as "keda"'),
    ...readAddress(document, fields, place),
    ...readTls(document, fields),
    tokenFile: readFile(document, fields.tokenFile),
    groups: readGroups(document, fields.groups, place),
    match: readMatch(document, fields.match),
    timeoutMs: readTimeout(document, fields.timeout),
    concurrency: readInteger(document, limits.concurrency, concurrencies) ?? defaultConcurrency,
    maxAnswerBytes: readBytes(document, limits.answerBytes, answers) ?? defaultAnswerBytes,
  };
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
      "makes caBundleFile useless: remove insecureSkipTLSVerify",
    );
  else if (insecureSkipTlsVerify)
    document.warn(
      fields.insecureSkipTLSVerify,
      "anyone between can read the adapter's service account token and change metrics: set caBundleFile",
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
      text === "metrics.k8s.io"
        ? "cannot be federated: metrics-server or Plimsoll owns it"
        : "is not a group of metrics";
    document.problem(place, `${shown} ${why}: the groups of a backend are ${known}`);
  }
  return [...new Set(groups)];
}
