// Reads how a source is authenticated to.
import { redact } from "@plimsoll/core/redact";
import type { Place, RulesDocument } from "../document/document.ts";
import { readRequired } from "./fields.ts";
import type { SourceAuth } from "./source-config.ts";

const types: readonly SourceAuth["type"][] = ["none", "basic", "bearer", "mtls"];

const none: SourceAuth = { type: "none" };

/** Reads `auth`; absent is none. */
export function readAuth(document: RulesDocument, place: Place): SourceAuth {
  if (document.isAbsent(place)) return none;
  const typePlace = document.entries(place).find(([key]) => key === "type")?.[1];
  if (typePlace === undefined) {
    document.problem(place, `has no type: write one of ${types.join(", ")}`);
    return none;
  }
  const text = document.text(typePlace).trim();
  const type = types.find((one) => one === text);
  if (type === undefined) {
    document.problem(
      typePlace,
      `unknown type ${JSON.stringify(redact(text))}: known are ${types.join(", ")}`,
    );
    return none;
  }
  switch (type) {
    case "none":
    case "mtls":
      document.fields(place, ["type"]);
      return { type };
    case "basic": {
      const fields = document.fields(place, ["type", "username", "passwordFile"]);
      const username = readRequired(document, fields.username, place, "the name of the user");
      if (username.includes(":"))
        document.problem(fields.username, "must have no colon: no server would accept it");
      return {
        type,
        username,
        passwordFile: readRequired(document, fields.passwordFile, place, "the file with the password"),
      };
    }
    case "bearer": {
      const fields = document.fields(place, ["type", "tokenFile"]);
      return { type, tokenFile: readRequired(document, fields.tokenFile, place, "the file with the token") };
    }
  }
}
