// Finds the messages that the sources log as warnings and errors.
import { isProduct, packageOf } from "../source/files.ts";
import type { SourceFile } from "../source/parse.ts";
import { type Node, walk } from "../source/walk.ts";

export interface LogCall {
  readonly path: string;
  /** Each constant that the message can be; undefined when it is put together. */
  readonly messages: readonly string[] | undefined;
}

/** Packages whose sources write the log of a process. */
const logging = new Set([
  "component-base",
  "kube",
  "calendars",
  "observe",
  "metric-rules",
  "federation",
  "metrics-adapter",
  "autoscaler",
]);

/** Calls of `warn` and `error` on something that is called a log. */
export function logCalls(files: readonly SourceFile[]): readonly LogCall[] {
  return files.filter(({ path }) => isProduct(path) && logging.has(packageOf(path))).flatMap(callsIn);
}

function callsIn({ path, program }: SourceFile): readonly LogCall[] {
  const found: LogCall[] = [];
  walk(program, (node) => {
    if (node.type !== "CallExpression" || node.callee.type !== "MemberExpression") return;
    const { object, property } = node.callee;
    if (property.type !== "Identifier" || !["warn", "error"].includes(property.name)) return;
    const [, message] = node.arguments;
    if (isLog(object) && message !== undefined) found.push({ path, messages: constantsOf(message) });
  });
  return found;
}

function isLog(node: Node): boolean {
  if (node.type === "Identifier") return /^log(?:ger)?$/i.test(node.name);
  return node.type === "MemberExpression" && isLog(node.property);
}

function constantsOf(node: Node): readonly string[] | undefined {
  if (node.type === "Literal") return typeof node.value === "string" ? [node.value] : undefined;
  if (node.type !== "ConditionalExpression") return undefined;
  const [one, other] = [constantsOf(node.consequent), constantsOf(node.alternate)];
  return one === undefined || other === undefined ? undefined : [...one, ...other];
}
