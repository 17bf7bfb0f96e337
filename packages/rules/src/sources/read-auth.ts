// Reads how a source is authenticated to.
import { redact } from "@plimsoll/core/redact";
import type { Place, RulesDocument } from "../document/document.ts";
import { readRequired } from "./fields.ts";
import { readAzure, readGoogle, readOAuth2, readSigV4 } from "./read-fetched-auth.ts";
import type { SourceAuth } from "./source-config.ts";

type ReadAuth = (document: RulesDocument, place: Place) => SourceAuth;

const readers: { readonly [type in SourceAuth["type"]]: ReadAuth } = {
  none: withoutFields("none"),
  basic: readBasic,
  bearer: readBearer,
  mtls: withoutFields("mtls"),
  oauth2: readOAuth2,
  sigv4: readSigV4,
  google: readGoogle,
  azure: readAzure,
};

const none: SourceAuth = { type: "none" };

/** Reads `auth`; absent is none. */
export function readAuth(document: RulesDocument, place: Place): SourceAuth {
  if (document.isAbsent(place)) return none;
  const types = Object.keys(readers).join(", ");
  const typePlace = document.entries(place).find(([key]) => key === "type")?.[1];
  if (typePlace === undefined) {
    document.problem(place, `has no type: use one of ${types}`);
    return none;
  }
  const text = document.text(typePlace).trim();
  if (!isType(text)) {
    document.problem(typePlace, `unknown type ${JSON.stringify(redact(text))}: use one of ${types}`);
    return none;
  }
  return readers[text](document, place);
}

function isType(text: string): text is SourceAuth["type"] {
  return Object.hasOwn(readers, text);
}

function withoutFields(type: "none" | "mtls"): ReadAuth {
  return (document, place) => {
    document.fields(place, ["type"]);
    return { type };
  };
}

function readBasic(document: RulesDocument, place: Place): SourceAuth {
  const fields = document.fields(place, ["type", "username", "passwordFile"]);
  const username = readRequired(document, fields.username, place, "the name of the user");
  if (username.includes(":"))
    document.problem(fields.username, "must have no colon: no server would accept it");
  const passwordFile = readRequired(document, fields.passwordFile, place, "the file with the password");
  return { type: "basic", username, passwordFile };
}

function readBearer(document: RulesDocument, place: Place): SourceAuth {
  const fields = document.fields(place, ["type", "tokenFile"]);
  const tokenFile = readRequired(document, fields.tokenFile, place, "the file with the token");
  return { type: "bearer", tokenFile };
}
