// Reads the types of auth whose credentials are fetched or computed.
import { redact } from "@plimsoll/core/redact";
import type { Place, RulesDocument } from "../document/document.ts";
import { readChoice, readOptional, readRequired, readTexts, readUrl } from "./fields.ts";
import type { AzureAuth, GoogleAuth, OAuth2Auth, SigV4Auth } from "./source-config.ts";

/** OAuth 2.0 client credentials. */
export function readOAuth2(document: RulesDocument, place: Place): OAuth2Auth {
  const fields = document.fields(place, [
    "type",
    "tokenUrl",
    "clientId",
    "clientSecretFile",
    "tokenAuthMethod",
    "scopes",
    "parameters",
    "caFile",
  ]);
  const address = readRequired(document, fields.tokenUrl, place, "the address that gives tokens");
  const tokenUrl = readUrl(document, fields.tokenUrl, address);
  if (/^http:/i.test(tokenUrl))
    document.warn(fields.tokenUrl, "anyone in between can read the client's secret: use https");
  return {
    type: "oauth2",
    tokenUrl,
    clientId: readRequired(document, fields.clientId, place, "the name of the client"),
    clientSecretFile: readRequired(
      document,
      fields.clientSecretFile,
      place,
      "the file with the client's secret",
    ),
    tokenAuthMethod:
      readChoice(document, fields.tokenAuthMethod, ["client_secret_basic", "client_secret_post"]) ??
      "client_secret_basic",
    scopes: readScopes(document, fields.scopes),
    parameters: readParameters(document, fields.parameters),
    caFile: readOptional(document, fields.caFile),
  };
}

function readScopes(document: RulesDocument, place: Place): readonly string[] {
  const scopes = readTexts(document, place);
  for (const scope of scopes) if (scope !== "") checkScope(document, place, scope);
  return scopes;
}

/** What the request for a token says itself, and what is a secret. */
const reservedParameters: ReadonlySet<string> = new Set([
  "client_assertion",
  "client_id",
  "client_secret",
  "grant_type",
  "password",
  "scope",
]);

function readParameters(document: RulesDocument, place: Place): OAuth2Auth["parameters"] {
  return document.entries(place).map(([name, at]) => {
    if (reservedParameters.has(name.toLowerCase()))
      document.problem(at, `${name} is set by other fields: remove it`);
    return [name, document.text(at)] as const;
  });
}

/** Signatures of AWS. */
export function readSigV4(document: RulesDocument, place: Place): SigV4Auth {
  const fields = document.fields(place, ["type", "region", "service", "profile"]);
  const region = readRequired(document, fields.region, place, 'the region, such as "eu-central-1"');
  if (region !== "" && !/^[a-z0-9-]{1,63}$/.test(region))
    document.problem(fields.region, `${JSON.stringify(redact(region))} is not a region of AWS`);
  const service = readOptional(document, fields.service) ?? "aps";
  if (!/^[a-z0-9-]{1,63}$/.test(service))
    document.problem(fields.service, `${JSON.stringify(redact(service))} is not a service of AWS`);
  return { type: "sigv4", region, service, profile: readOptional(document, fields.profile) };
}

/** Application Default Credentials of Google Cloud. */
export function readGoogle(document: RulesDocument, place: Place): GoogleAuth {
  const fields = document.fields(place, ["type", "credentialsFile", "scope"]);
  const scope = readOptional(document, fields.scope) ?? "https://www.googleapis.com/auth/monitoring.read";
  checkScope(document, fields.scope, scope);
  return { type: "google", credentialsFile: readOptional(document, fields.credentialsFile), scope };
}

/** The environment, workload identity, or managed identity of Azure. */
export function readAzure(document: RulesDocument, place: Place): AzureAuth {
  const fields = document.fields(place, ["type", "clientId", "scope"]);
  const scope = readOptional(document, fields.scope) ?? "https://prometheus.monitor.azure.com/.default";
  checkScope(document, fields.scope, scope);
  return { type: "azure", clientId: readOptional(document, fields.clientId), scope };
}

/** One, of the characters that RFC 6749 allows. */
function checkScope(document: RulesDocument, place: Place, scope: string): void {
  if (!/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope))
    document.problem(place, `${JSON.stringify(redact(scope))} is not a scope: write one, without blanks`);
}
