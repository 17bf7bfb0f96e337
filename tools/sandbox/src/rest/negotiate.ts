// Content negotiation by the Accept header.
import { notAcceptable } from "../errors/status-error.ts";

/** What the client wants to read: the object itself, or a view of it from meta.k8s.io. */
export interface Negotiated {
  readonly mediaType: "application/json" | "application/yaml";
  readonly view: "object" | "Table" | "PartialObjectMetadata" | "PartialObjectMetadataList";
  /** Version of meta.k8s.io for the view. */
  readonly viewVersion: string;
}

export interface MediaRange {
  readonly type: string;
  readonly parameters: Readonly<Record<string, string>>;
}

const supported = ["application/json", "application/yaml"];
const views = new Set(["Table", "PartialObjectMetadata", "PartialObjectMetadataList"]);
const plain: Negotiated = { mediaType: "application/json", view: "object", viewVersion: "" };

/** The first range of an Accept header that can be served; 406 when there is none. */
export function negotiate(accept: string | undefined): Negotiated {
  if (accept === undefined || accept === "application/json") return plain;
  const ranges = parseAccept(accept);
  if (ranges.length === 0) return plain;
  for (const { type, parameters } of ranges) {
    const mediaType = mediaTypeOf(type);
    if (mediaType === undefined) continue;
    const as = parameters["as"];
    if (as === undefined) return { ...plain, mediaType };
    const version = parameters["v"] ?? "v1";
    if (parameters["g"] !== "meta.k8s.io" || !views.has(as)) continue;
    if (version !== "v1" && version !== "v1beta1") continue;
    return { mediaType, view: as as Negotiated["view"], viewVersion: version };
  }
  throw notAcceptable(supported);
}

/** Media ranges, best first: by q, then as written. */
export function parseAccept(accept: string | undefined): readonly MediaRange[] {
  return (accept ?? "")
    .split(",")
    .map((text) => text.trim())
    .filter((text) => text !== "")
    .map(parseRange)
    .sort((a, b) => quality(b) - quality(a));
}

function parseRange(text: string): MediaRange {
  const [type = "", ...rest] = text.split(";").map((part) => part.trim());
  const parameters: Record<string, string> = {};
  for (const part of rest) {
    const [key = "", value = ""] = part.split("=");
    parameters[key.trim()] = value.trim().replaceAll('"', "");
  }
  return { type: type.toLowerCase(), parameters };
}

function quality(range: MediaRange): number {
  const q = Number(range.parameters["q"] ?? 1);
  return Number.isNaN(q) ? 1 : q;
}

function mediaTypeOf(type: string): Negotiated["mediaType"] | undefined {
  if (type === "application/json" || type === "*/*" || type === "application/*") return "application/json";
  if (type === "application/yaml") return "application/yaml";
  return undefined;
}
