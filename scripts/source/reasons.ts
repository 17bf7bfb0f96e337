// Finds words that may be reasons of events and conditions: strings and keys in Pascal case.
import { type Expression, type ObjectExpression, Visitor } from "oxc-parser";
import type { SourceFile } from "./parse.ts";

/** An event as a source writes it. */
export interface EventReason {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
}

const pascalCase = /^[A-Z][a-z]+(?:[A-Z][a-z]+)*$/;

/** Every string of the file that has the form of a reason; in a file of reasons the keys of objects, too. */
export function reasonWords({ program, path }: SourceFile): ReadonlySet<string> {
  const words = new Set<string>();
  const add = (word: unknown): void => {
    if (typeof word === "string" && pascalCase.test(word)) words.add(word);
  };
  new Visitor({
    Literal({ value }) {
      add(value);
    },
    Property({ key }) {
      if (path.endsWith("/reasons.ts") && key.type === "Identifier") add(key.name);
    },
  }).visit(program);
  return words;
}

/** Events whose type and reason both stand there: objects with both, and calls of `warn`. */
export function eventsOf({ program }: SourceFile): readonly EventReason[] {
  const found: EventReason[] = [];
  new Visitor({
    ObjectExpression(node) {
      for (const type of stringsAt(node, "type")) {
        if (type !== "Normal" && type !== "Warning") continue;
        for (const reason of stringsAt(node, "reason")) found.push({ type, reason });
      }
    },
    CallExpression({ callee, arguments: [, reason] }) {
      if (callee.type !== "Identifier" || callee.name !== "warn" || reason === undefined) return;
      if (reason.type === "SpreadElement") return;
      for (const word of stringsOf(reason)) found.push({ type: "Warning", reason: word });
    },
  }).visit(program);
  return found;
}

function stringsAt(node: ObjectExpression, name: string): readonly string[] {
  return node.properties.flatMap((one) =>
    one.type === "Property" && one.key.type === "Identifier" && one.key.name === name
      ? stringsOf(one.value)
      : [],
  );
}

/** The strings that an expression can have. */
function stringsOf(node: Expression): readonly string[] {
  if (node.type === "Literal") return typeof node.value === "string" ? [node.value] : [];
  return node.type === "ConditionalExpression"
    ? [...stringsOf(node.consequent), ...stringsOf(node.alternate)]
    : [];
}
