// Shares what a value has in common with an earlier one.
import type { Fields } from "@plimsoll/core/internal/values";

/**
 * The same value, made of the parts of `former` that it has in common with it: the decisions of an object that is steady differ
 * in little more than their times. Of plain JSON; anything else is shared only where it is the same object.
 */
export function shareParts<T>(former: unknown, value: T): T {
  if (Object.is(former, value)) return former as T;
  if (typeof value !== "object" || value === null || typeof former !== "object" || former === null)
    return value;
  if (Array.isArray(value)) return Array.isArray(former) ? (shareList(former, value) as T) : value;
  const isPlain = isPlainObject(value) && isPlainObject(former);
  return isPlain ? (shareFields(former, value) as T) : value;
}

function shareList(former: readonly unknown[], list: readonly unknown[]): readonly unknown[] {
  let isSame = former.length === list.length;
  let copy: unknown[] | undefined;
  for (let i = 0; i < list.length; i++) {
    const part = shareParts(former[i], list[i]);
    if (i >= former.length || !Object.is(part, former[i])) isSame = false;
    if (!isWorthSharing(part, list[i])) continue;
    copy ??= [...list];
    copy[i] = part;
  }
  return isSame ? former : (copy ?? list);
}

/** Fields in another order make another text of a record. */
function shareFields(former: Fields, fields: Fields): Fields {
  const names = Object.keys(fields);
  const formerNames = Object.keys(former);
  let isSame = names.length === formerNames.length;
  let copy: Record<string, unknown> | undefined;
  for (let i = 0; i < names.length; i++) {
    const name = names[i] ?? "";
    if (name !== formerNames[i]) isSame = false;
    const was = Object.hasOwn(former, name) ? former[name] : undefined;
    const part = shareParts(was, fields[name]);
    if (!Object.is(part, was)) isSame = false;
    if (!isWorthSharing(part, fields[name])) continue;
    copy ??= { ...fields };
    copy[name] = part;
  }
  return isSame ? former : (copy ?? fields);
}

/** A shorter text takes no more than the copy of what it is in. */
const minShared = 100;

/** Equal texts may be two in memory. */
function isWorthSharing(part: unknown, own: unknown): boolean {
  if (typeof part === "string") return part.length >= minShared && part === own;
  return typeof part === "object" && part !== own;
}

function isPlainObject(value: object): value is Fields {
  return Object.getPrototypeOf(value) === Object.prototype;
}
