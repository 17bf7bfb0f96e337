// What an address of the decision API asks for, checked.
import type { ObjectKey, SummaryQuery } from "../documents.ts";
import type { DecisionsQuery } from "../reader.ts";
import { RequestError } from "./failure.ts";
import { checkNamespace, readBefore, readLimit, readSummaryQuery } from "./query.ts";
import { type TextFormat, textFormats } from "./text.ts";

export type Asked =
  | { readonly part: "summary"; readonly query: SummaryQuery }
  | { readonly part: "stream"; readonly query: Pick<SummaryQuery, "namespace"> }
  | { readonly part: "shadow" }
  | AskedOfObject;

export type AskedOfObject = { readonly object: ObjectKey; readonly query: DecisionsQuery } & (
  | { readonly part: "decisions"; readonly format: TextFormat | "json" }
  | { readonly part: "record" }
);

/** The second one is that of the group under which kube-apiserver may offer the same. */
const bases = ["/apis/decisions/v1", "/apis/explain.plimsoll.dev/v1"];
const object = "/namespaces/:namespace/:resource/:name";

/** All paths that `readAddress` takes, as routers write them. */
export const decisionPaths: readonly string[] = [
  "/apis/shadow/v1",
  "/apis/explain.plimsoll.dev/v1/shadow",
  ...bases.flatMap((base) =>
    ["/summary", "/stream", "/namespaces/:namespace/summary", "/namespaces/:namespace/stream"]
      .concat(object, `${object}/record`)
      .map((path) => base + path),
  ),
];

const shadowPattern = /^\/apis\/(?:shadow\/v1|explain\.plimsoll\.dev\/v1\/shadow)$/;
const rowsPattern =
  /^\/apis\/(?:decisions|explain\.plimsoll\.dev)\/v1(?:\/namespaces\/([^/]+))?\/(summary|stream)$/;
const objectPattern = /^\/apis\/(?:decisions|explain\.plimsoll\.dev)\/v1\/(\w+(?:\/[^/]+){3})(\/record)?$/;

/** @throws RequestError where there is nothing at the address, or a parameter cannot be used. */
export function readAddress(url: string): Asked {
  const { path, parameters } = splitAddress(url);
  if (shadowPattern.test(path)) return { part: "shadow" };
  const [, within, part] = rowsPattern.exec(path) ?? [];
  if (part !== undefined) {
    // It may stand in the path, where RBAC of a group reads it, or in the query.
    if (within !== undefined) parameters.set("namespace", nameOf(within, path));
    if (part === "summary") return { part, query: readSummaryQuery(parameters) };
    return { part: "stream", query: { namespace: checkNamespace(parameters) } };
  }
  const [, key = "", record] = objectPattern.exec(path) ?? [];
  const asked = { object: readObject(key, path) };
  const query = { before: readBefore(parameters), limit: readLimit(parameters) };
  if (record !== undefined) return { part: "record", ...asked, query };
  const format = parameters.get("format") ?? "json";
  if (format === "json") return { part: "decisions", ...asked, query, format };
  const text = textFormats.find((one) => one === format);
  if (text === undefined) throw RequestError.invalid("format", `must be json, ${textFormats.join(" or ")}`);
  return { part: "decisions", ...asked, query: { ...query, limit: query.limit ?? 1 }, format: text };
}

/** Of a parameter that is there twice the first counts. */
export function splitAddress(url: string): { readonly path: string; readonly parameters: URLSearchParams } {
  const mark = url.indexOf("?");
  if (mark < 0) return { path: url, parameters: new URLSearchParams() };
  return { path: url.slice(0, mark), parameters: new URLSearchParams(url.slice(mark + 1)) };
}

/** Of "namespaces/NS/RESOURCE/NAME". @throws RequestError: there is nothing at `path` */
export function readObject(key: string, path: string): ObjectKey {
  const [first, namespace = "", resource, name = "", ...more] = key.split("/");
  const isKnown = resource === "horizontalpodautoscalers" || resource === "workloadautoscalers";
  if (first !== "namespaces" || !isKnown || more.length > 0) throw RequestError.nothingAt(path);
  return { resource, namespace: nameOf(namespace, path), name: nameOf(name, path) };
}

/** Names of Kubernetes have nothing in them that means something in a path. */
function nameOf(segment: string, path: string): string {
  let name = "";
  try {
    name = decodeURIComponent(segment);
  } catch {
    // No name.
  }
  if (!/^[a-zA-Z0-9][-a-zA-Z0-9._:]{0,252}$/.test(name)) throw RequestError.nothingAt(path);
  return name;
}
