// Reads which Prometheus a trigger queries, and how; credentials are named and not copied.
import { parseGoDuration } from "@plimsoll/core/duration";
import { redactUrl } from "@plimsoll/core/redact";
import { addressProblem } from "@plimsoll/prometheus";
import type { Findings } from "../findings.ts";
import { readGoBoolean } from "../go-boolean.ts";
import type { NeededServer } from "../needed-rule.ts";
import { type FieldReader, textOf } from "../values.ts";

export function readServer(
  trigger: FieldReader,
  metadata: FieldReader,
  findings: Findings,
): NeededServer | undefined {
  const url = readAddress(metadata, findings);
  const headers = readHeaders(metadata, findings);
  const isUnverified = readGoBoolean(metadata, "unsafeSsl", findings) ?? false;
  const timeout = readTimeout(metadata, findings);
  noteParameters(metadata, findings);
  const awsRegion = readRegion(metadata, findings);
  noteCredentials(trigger, metadata, awsRegion !== undefined, findings);
  if (url === undefined) return undefined;
  const credentials = JSON.stringify([
    trigger.value["authenticationRef"],
    ...["serverAddress", "customHeaders", "authModes", "namespace", "queryParameters"].map(
      (field) => metadata.value[field],
    ),
  ]);
  return { kind: "address", url, headers, timeout, isUnverified, awsRegion, credentials };
}

function readRegion(metadata: FieldReader, findings: Findings): string | undefined {
  const region = metadata.text("awsRegion")?.trim();
  if (region === undefined || region === "") return undefined;
  findings.note({
    path: metadata.at("awsRegion"),
    value: region,
    message:
      "is written as auth: {type: sigv4} of the source: metrics-adapter signs with its own AWS identity",
    remedy: "allow the role of metrics-adapter's pod to query the workspace",
  });
  return region;
}

function readAddress(metadata: FieldReader, findings: Findings): string | undefined {
  const text = metadata.requiredText("serverAddress")?.trim();
  if (text === undefined) return undefined;
  const path = metadata.at("serverAddress");
  const problem = addressProblem(text);
  if (problem !== undefined) {
    findings.problem({ path, value: redactUrl(text), message: problem, remedy: "correct the address" });
    return undefined;
  }
  const url = new URL(text);
  const isSecret = url.username !== "" || url.password !== "";
  if (isSecret || url.search !== "") {
    findings.note({
      path,
      value: redactUrl(text),
      message: isSecret
        ? "has a user and a password, which are left out"
        : "has parameters, which are left out",
      remedy: isSecret ? basicRemedy : parametersRemedy,
    });
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
}

const basicRemedy =
  "set auth: {type: basic} with username and passwordFile for the source in --sources-config";
const parametersRemedy =
  "append them to --prometheus-url if this is its server; a source in --sources-config can have headers only";

/** These carry credentials, and a file of sources refuses their values. */
const secretName = /^(?:authorization|cookie|proxy-authorization)$|key|token|secret|password/i;
/** The adapter sets these itself. */
const ownName =
  /^(?:accept|accept-encoding|connection|content-length|content-type|host|transfer-encoding|upgrade)$/i;

/** `name=value,name=value`; values may be secrets, and are never printed. */
function readHeaders(metadata: FieldReader, findings: Findings): Readonly<Record<string, string>> {
  const text = metadata.text("customHeaders") ?? "";
  const path = metadata.at("customHeaders");
  const headers = new Map<string, string>();
  for (const item of text.split(",")) {
    if (item.trim() === "") continue;
    const [name = "", ...rest] = item.split("=");
    const value = rest.join("=").trim();
    const key = name.trim().toLowerCase();
    const isName = /^[!#$%&'*+.^_`|~0-9a-z-]{1,128}$/.test(key);
    if (!isName || !/^[\x20-\x7e]+$/.test(value) || /[{}]/.test(value)) {
      const message = `has an item that is not a header: ${JSON.stringify(key.slice(0, 40))}`;
      findings.problem({ path, message, remedy: "use name=value, separated by commas" });
    } else if (secretName.test(key)) {
      const remedy = `write it to a file, and set headersFrom of the source in --sources-config to that file`;
      findings.note({ path, message: `has ${key}, which is left out as a secret`, remedy });
    } else if (ownName.test(key)) {
      const message = `has ${key}, which is left out: the adapter sets it`;
      findings.note({ path, message, remedy: "nothing to do" });
    } else headers.set(key, value);
  }
  return Object.fromEntries(headers);
}

/** A number is milliseconds. */
function readTimeout(metadata: FieldReader, findings: Findings): string | undefined {
  const text = metadata.text("timeout")?.trim();
  if (text === undefined || text === "") return undefined;
  const duration = /^\d{1,9}$/.test(text) ? `${text}ms` : text;
  const ms = parseGoDuration(duration);
  if (ms !== undefined && ms >= 100 && ms <= 60_000) return duration;
  findings.note({
    path: metadata.at("timeout"),
    value: text,
    message: "is not a duration from 100ms to 1m and is left out",
    remedy: "set query.timeout of the source in --sources-config; its default is 10s",
  });
  return undefined;
}

function noteParameters(metadata: FieldReader, findings: Findings): void {
  for (const field of ["namespace", "queryParameters"]) {
    const value = metadata.text(field);
    if (value === undefined || value === "") continue;
    findings.note({
      path: metadata.at(field),
      // Parameters may be secrets.
      ...(field === "namespace" ? { value } : {}),
      message: "is a parameter that KEDA sends with each query, and is left out",
      remedy:
        field === "namespace" ? `${parametersRemedy}: namespace=${value.slice(0, 80)}` : parametersRemedy,
    });
  }
}

function noteCredentials(
  trigger: FieldReader,
  metadata: FieldReader,
  isSigned: boolean,
  findings: Findings,
): void {
  const modes = metadata.text("authModes");
  const ref = trigger.value["authenticationRef"];
  if (ref !== undefined && ref !== null) {
    const reference = trigger.inner("authenticationRef");
    const kind = textOf(reference.value["kind"]) ?? "TriggerAuthentication";
    const name = textOf(reference.value["name"]) ?? "";
    findings.note({
      path: trigger.at("authenticationRef"),
      value: `${kind}/${name}`,
      message: "is left out: here the adapter has the server's credentials",
      remedy: isSigned
        ? "nothing to do, unless it uses another role or access keys: then set profile in the source's auth"
        : `set auth of the source in --sources-config, with the Secret mounted as files${modes === undefined ? "" : ` (authModes ${modes})`}`,
    });
  } else if (modes !== undefined && modes !== "") {
    findings.note({
      path: metadata.at("authModes"),
      value: modes,
      message: "is left out: here the adapter has the server's credentials",
      remedy: "set auth of the source in --sources-config",
    });
  }
  const owner = metadata.text("identityOwner");
  if (owner !== undefined && owner !== "")
    findings.note({
      path: metadata.at("identityOwner"),
      value: owner,
      message: "is left out: metrics-adapter signs with its own identity",
      remedy: "nothing to do",
    });
}
