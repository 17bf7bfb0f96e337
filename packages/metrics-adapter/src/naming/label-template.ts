import type { LabelTemplate } from "@plimsoll/prometheus";

export interface GroupAndResource {
  readonly group: string;
  readonly resource: string;
}

/** The label that a template gives a resource. Labels have neither dots nor dashes, groups have both. */
export function labelFromTemplate(template: LabelTemplate, { group, resource }: GroupAndResource): string {
  return template.render({ Group: group.replaceAll(/[.-]/g, "_"), Resource: resource });
}

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
  assign(pieces, label, {}, found);
  const isGrouped = pieces.includes(GROUP_MARK);
  return isGrouped ? found.flatMap(spellGroup) : found;
}

interface Partial {
  readonly group?: string;
  readonly resource?: string;
}

function assign(pieces: readonly string[], rest: string, known: Partial, found: GroupAndResource[]): void {
  const [piece, ...later] = pieces;
  if (piece === undefined) {
    if (rest === "" && known.resource) found.push({ group: known.group ?? "", resource: known.resource });
    return;
  }
  if (piece !== GROUP_MARK && piece !== RESOURCE_MARK) {
    if (rest.startsWith(piece)) assign(later, rest.slice(piece.length), known, found);
    return;
  }
  const key = piece === GROUP_MARK ? "group" : "resource";
  const again = known[key];
  if (again !== undefined) {
    if (rest.startsWith(again)) assign(later, rest.slice(again.length), known, found);
    return;
  }
  for (let length = piece === GROUP_MARK ? 0 : 1; length <= rest.length; length += 1) {
    // Only the next literal piece, or the end, can follow.
    const [next] = later;
    const tail = rest.slice(length);
    if (next !== undefined && next !== "" && !tail.startsWith(next)) continue;
    assign(later, tail, { ...known, [key]: rest.slice(0, length) }, found);
  }
}

/** A group in a label is written with underscores; real ones have dots, rarely dashes. */
function spellGroup(found: GroupAndResource): readonly GroupAndResource[] {
  if (!found.group.includes("_")) return [found];
  return [".", "-"].map((mark) => ({ ...found, group: found.group.replaceAll("_", mark) }));
}
