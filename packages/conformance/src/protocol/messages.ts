// The lines that the runner and an implementation exchange.
import { type Fields, isFields } from "@plimsoll/core/internal/values";
import { fieldOf } from "../vectors/read.ts";

/** Both sides name it in their first line. */
export const protocol = "plimsoll-conformance/1";

/** A line of the runner; the first one has the protocol alone. */
export interface Question {
  readonly id: number;
  readonly kind: string;
  /** The release of Kubernetes whose behavior is asked for. */
  readonly semantics: string;
  readonly case: Fields;
}

/** What an implementation decides, why it is not made for this, or what went wrong within it. */
export type Answer =
  | { readonly answer: Fields }
  | { readonly unsupported: string }
  | { readonly failure: string };

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
  const { answer, unsupported, failure } = response;
  if (typeof unsupported === "string") return { unsupported };
  if (typeof failure === "string") return { failure };
  if (isFields(answer)) return { answer };
  throw new Error('a line has no object "answer", and no text "unsupported" or "failure"');
}

/** A line as an object. Throws Error with what is wrong. */
export function readLine(line: string): Fields {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new Error(`a line is not JSON: ${line.slice(0, 200)}`);
  }
  if (!isFields(value)) throw new Error(`a line is not a JSON object: ${line.slice(0, 200)}`);
  return value;
}
