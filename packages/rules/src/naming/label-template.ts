// Labels that a template makes of resources, and which resources a label could be of.
import type { LabelTemplate } from "@plimsoll/prometheus";

export interface GroupAndResource {
  readonly group: string;
  readonly resource: string;
}

/** The label that a template gives a resource. Labels have neither dots nor dashes, groups have both. */
export function labelFromTemplate(template: LabelTemplate, { group, resource }: GroupAndResource): string {
  return template.render({ Group: group.replaceAll(/[.-]/g, "_"), Resource: resource });
}

/** Of a group; the names of its resources are shorter. */
const MAX_NAME_LENGTH = 253;
const MAX_RESOURCE_LENGTH = 63;

const GROUP_MARK = "\u0001";
const RESOURCE_MARK = "\u0002";

/**
 * Every group and resource that a template could have made a label from, the likeliest first. An underscore in
 * the label may have been a dot of the group or part of the template, so there can be several.
 */
export function candidatesFor(template: LabelTemplate, label: string): readonly GroupAndResource[] {
  const pattern = template.render({ Group: GROUP_MARK, Resource: RESOURCE_MARK });
  const pieces = pattern.split(new RegExp(`([${GROUP_MARK}${RESOURCE_MARK}])`));
  const found: GroupAndResource[] = [];
  if (label.length > pattern.length + MAX_NAME_LENGTH * (pieces.length - 1)) return found;
  assign(pieces, label, {}, found);
  const isGrouped = pieces.includes(GROUP_MARK);
  return isGrouped ? found.flatMap(spellGroup) : found;
}

interface Assigned {
  readonly group?: string;
  readonly resource?: string;
}

/** Matches the pieces of a template against the rest of a label, in every way that there is. */
function assign(pieces: readonly string[], rest: string, known: Assigned, found: GroupAndResource[]): void {
  const [piece, ...later] = pieces;
  if (piece === undefined) {
    if (rest === "" && known.resource) found.push({ group: known.group ?? "", resource: known.resource });
    return;
  }
  const literal = literalOf(piece, known);
  if (literal === undefined) return assignField(piece, later, rest, { known, found });
  if (rest.startsWith(literal)) assign(later, rest.slice(literal.length), known, found);
}

/** What a piece must be; undefined for a field that has no value yet. */
function literalOf(piece: string, { group, resource }: Assigned): string | undefined {
  if (piece === GROUP_MARK) return group;
  return piece === RESOURCE_MARK ? resource : piece;
}

interface Assignment {
  readonly known: Assigned;
  readonly found: GroupAndResource[];
}

function assignField(
  field: string,
  later: readonly string[],
  rest: string,
  { known, found }: Assignment,
): void {
  const isGroup = field === GROUP_MARK;
  const [next = ""] = later;
  for (let length = isGroup ? 0 : 1; length <= rest.length; length += 1) {
    const value = rest.slice(0, length);
    // Names of resources have no underscores: mostly one ending of a label is left that can be one.
    if (!isGroup && (length > MAX_RESOURCE_LENGTH || value.includes("_"))) return;
    // Only the next literal piece, or the end, can follow.
    if (!rest.startsWith(next, length)) continue;
    assign(later, rest.slice(length), { ...known, [isGroup ? "group" : "resource"]: value }, found);
  }
}

/** A group in a label is written with underscores; real ones have dots, rarely dashes. */
function spellGroup(found: GroupAndResource): readonly GroupAndResource[] {
  if (!found.group.includes("_")) return [found];
  return [".", "-"].map((mark) => ({ ...found, group: found.group.replaceAll("_", mark) }));
}
