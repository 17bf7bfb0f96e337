// Reads which requests are a backend's own.
import { redact } from "@plimsoll/core/redact";
import { type Place, type RulesDocument, readTexts } from "@plimsoll/rules";
import type { BackendMatch } from "./federation-config.ts";
import { type NamePattern, parseNamePattern } from "./name-pattern.ts";

/** Each is compared with every request that is not ours. */
const maxEntries = 64;
const labelKey =
  /^(?:[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?\/)?[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;

/** Reads `match`; absent matches no request. */
export function readMatch(document: RulesDocument, place: Place): BackendMatch {
  const fields = document.fields(place, ["labelSelectorKeys", "metrics", "namespaces"]);
  const keys = readEntries(document, fields.labelSelectorKeys);
  for (const key of keys ?? []) {
    if (key === "" || labelKey.test(key)) continue;
    document.problem(
      fields.labelSelectorKeys,
      `${JSON.stringify(redact(key.slice(0, 80)))} is not a label key, such as scaledobject.keda.sh/name`,
    );
  }
  return {
    labelSelectorKeys: keys,
    metrics: readPatterns(document, fields.metrics),
    namespaces: readPatterns(document, fields.namespaces),
  };
}

function readPatterns(document: RulesDocument, place: Place): readonly NamePattern[] | undefined {
  return readEntries(document, place)?.flatMap((text) => {
    if (text === "") return [];
    const parsed = parseNamePattern(text);
    if (parsed.ok) return [parsed.pattern];
    document.problem(place, parsed.message);
    return [];
  });
}

function readEntries(document: RulesDocument, place: Place): readonly string[] | undefined {
  if (document.isAbsent(place)) return undefined;
  const texts = readTexts(document, place);
  if (texts.length === 0)
    document.problem(place, "is empty, so no request can match: remove it, or list what should match");
  if (texts.length > maxEntries)
    document.problem(place, `has ${texts.length} entries; at most ${maxEntries} are allowed`);
  return texts.slice(0, maxEntries);
}
