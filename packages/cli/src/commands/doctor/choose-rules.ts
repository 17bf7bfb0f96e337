// The rules that --only and --skip choose.
import { nearest } from "@plimsoll/core/internal/values";
import { type Rule, rules } from "@plimsoll/doctor";
import { CliError } from "../../seams.ts";

/** @throws CliError for an identifier that is none. */
export function chooseRules(
  only: readonly string[] | undefined,
  skip: readonly string[] | undefined,
): readonly Rule[] {
  const wanted = only === undefined ? undefined : identifiers("--only", only);
  const unwanted = identifiers("--skip", skip ?? []);
  const chosen = rules.filter(({ id }) => wanted?.has(id) !== false && !unwanted.has(id));
  if (chosen.length === 0) throw new CliError("--only and --skip exclude every rule");
  return chosen;
}

/** Separated by commas or given several times. */
function identifiers(flag: string, values: readonly string[]): ReadonlySet<string> {
  const texts = values.flatMap((value) => value.split(",")).map((text) => text.trim());
  return new Set(texts.filter((text) => text !== "").map((text) => identifier(flag, text)));
}

function identifier(flag: string, text: string): string {
  const id = text.toUpperCase();
  if (rules.some((rule) => rule.id === id)) return id;
  const near = nearest(
    id,
    rules.map((rule) => rule.id),
    1,
  )[0];
  const hint = near === undefined ? "" : `; did you mean ${near}?`;
  throw new CliError(`${flag} ${text} is not a rule${hint} (plimsoll doctor --list shows them)`);
}
