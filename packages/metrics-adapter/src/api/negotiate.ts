// Content negotiation: chooses the media type of a response by the Accept header.
import { createComputedCache } from "@plimsoll/component-base";

/** One `as=` conversion that a handler can produce. */
export interface Conversion {
  readonly kind: string;
  readonly group: string;
  readonly version: string;
}

export interface Representation {
  readonly format: "json" | "yaml";
  readonly conversion: Conversion | undefined;
}

export const acceptedMediaTypes: readonly string[] = ["application/json", "application/yaml"];

export const tableConversions: readonly Conversion[] = metaConversions("Table");
export const metadataConversions: readonly Conversion[] = [
  ...metaConversions("PartialObjectMetadataList"),
  ...metaConversions("PartialObjectMetadata"),
];

function metaConversions(kind: string): readonly Conversion[] {
  return ["v1", "v1beta1"].map((version) => ({ kind, group: "meta.k8s.io", version }));
}

const plainJson: Representation = { format: "json", conversion: undefined };

interface Clause {
  readonly mediaType: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly quality: number;
}

/** The first clause of Accept, in order of preference, that we can serve; undefined when there is none. */
export function negotiate(
  accept: string | undefined,
  offers: readonly Conversion[],
): Representation | undefined {
  if (accept === undefined || accept === "" || accept === "*/*" || accept === "application/json")
    return plainJson;
  for (const clause of parsed.get(accept, undefined, parseAccept)) {
    const representation = serve(clause, offers);
    if (representation !== undefined) return representation;
  }
  return undefined;
}

function serve(clause: Clause, offers: readonly Conversion[]): Representation | undefined {
  const format = formatOf(clause.mediaType);
  if (format === undefined) return undefined;
  const kind = clause.parameters.get("as");
  if (kind === undefined) return { format, conversion: undefined };
  const group = clause.parameters.get("g") ?? "";
  const version = clause.parameters.get("v") ?? "";
  const conversion = offers.find(
    (offer) => offer.kind === kind && offer.group === group && offer.version === version,
  );
  return conversion === undefined ? undefined : { format, conversion };
}

function formatOf(mediaType: string): "json" | "yaml" | undefined {
  switch (mediaType) {
    case "application/json":
    case "application/*":
    case "*/*":
      return "json";
    case "application/yaml":
      return "yaml";
    default:
      return undefined;
  }
}

const bytesPerClause = 400;

/** What callers accept: few of them differ. */
const parsed = createComputedCache<undefined, readonly Clause[]>({
  name: "accept",
  maxBytes: 256 * 1024,
  sizeOf: (clauses) => bytesPerClause * clauses.length,
});

function parseAccept(accept: string): readonly Clause[] {
  const clauses = accept
    .split(",")
    .map(parseClause)
    .filter((clause) => clause.mediaType !== "" && clause.quality > 0);
  return clauses.sort((a, b) => b.quality - a.quality);
}

function parseClause(text: string): Clause {
  const [mediaType = "", ...rest] = text.split(";").map((part) => part.trim());
  const parameters = new Map<string, string>();
  for (const part of rest) {
    const equals = part.indexOf("=");
    if (equals > 0) parameters.set(part.slice(0, equals).trim().toLowerCase(), part.slice(equals + 1).trim());
  }
  const quality = Number(parameters.get("q") ?? "1");
  return { mediaType: mediaType.toLowerCase(), parameters, quality: Number.isFinite(quality) ? quality : 0 };
}
