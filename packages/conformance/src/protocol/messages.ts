// The lines that the runner and an implementation exchange.
import { fieldOf, isObject, type Json } from "../vectors/read.ts";

/** Both sides name it in their first line. */
export const protocol = "plimsoll-conformance/1";

/** A line of the runner; the first one has the protocol alone. */
export interface Question {
  readonly id: number;
  readonly kind: string;
  /** The release of Kubernetes whose behavior is asked for. */
  readonly semantics: string;
  readonly case: Json;
}

/** What an implementation decides, or why it is not made for this. */
export type Answer = { readonly answer: Json } | { readonly unsupported: string };

/** The first line of an implementation: its name and version. Throws Error with what is wrong. */
export function readHello(line: string): string {
  const hello = readLine(line);
  if (hello["protocol"] !== protocol)
    throw new Error(`the implementation speaks ${JSON.stringify(hello["protocol"])}, the runner ${protocol}`);
  const name = fieldOf(hello, "implementation");
  if (typeof name !== "string") throw new Error('the first line has no "implementation" with its name');
  return name;
}

/** Any other line of an implementation. Throws Error with what is wrong. */
export function readAnswer(line: string, id: number): Answer {
  const response = readLine(line);
  if (response["id"] !== id)
    throw new Error(`a line has the id ${JSON.stringify(response["id"])} instead of ${String(id)}`);
  const { answer, unsupported } = response;
  if (typeof unsupported === "string") return { unsupported };
  if (isObject(answer)) return { answer };
  throw new Error('a line has neither an object "answer" nor a text "unsupported"');
}

function readLine(line: string): Json {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new Error(`a line is not JSON: ${line.slice(0, 200)}`);
  }
  if (!isObject(value)) throw new Error(`a line is no JSON object: ${line.slice(0, 200)}`);
  return value;
}
