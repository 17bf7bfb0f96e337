// Passes over what is outside of the array.
import { JsonItemsError } from "./error.ts";
import {
  closeObject,
  comma,
  newNesting,
  openArray,
  openObject,
  passSpace,
  passString,
  passValue,
  quote,
} from "./nesting.ts";
import { createPathKeys } from "./path-keys.ts";

/** What comes next. */
type Place = "value" | "key" | "in key" | "colon" | "other value" | "after value" | "items" | "end";

const colon = 0x3a;

/** The keys and values of the objects that lead to the array. */
export interface OutsideScan {
  readonly place: Place;
  /** The place up to which it came: that of the array's first item, at most the length of the bytes. */
  pass(bytes: Uint8Array, from: number): number;
  /** The array has ended. */
  leaveArray(): void;
}

export function createOutsideScan(path: readonly string[]): OutsideScan {
  const keys = createPathKeys(path);
  const scan: Scan = { path, place: "value", level: 0, isWanted: true };
  const nesting = newNesting();

  function passKey(bytes: Uint8Array, from: number): number {
    const end = passString(nesting, bytes, from);
    keys.add(bytes.subarray(from, end));
    if (nesting.inString) return end;
    scan.isWanted = keys.end(scan.level - 1);
    scan.place = "colon";
    return end;
  }

  /** White space, and the byte that says what comes next. */
  function passMark(bytes: Uint8Array, from: number): number {
    const at = passSpace(bytes, from);
    if (at === bytes.length) return at;
    takeMark(scan, bytes[at]);
    nesting.inString = scan.place === "in key";
    // That value is passed from its first byte on.
    return scan.place === "other value" ? at : at + 1;
  }

  return {
    get place() {
      return scan.place;
    },
    pass(bytes, from) {
      let at = from;
      while (at < bytes.length && scan.place !== "items") {
        if (scan.place === "end") return bytes.length;
        if (scan.place === "in key") at = passKey(bytes, at);
        else if (scan.place !== "other value") at = passMark(bytes, at);
        else {
          at = passValue(nesting, bytes, at);
          if (at < bytes.length) scan.place = "after value";
        }
      }
      return at;
    },
    leaveArray() {
      scan.place = "after value";
    },
  };
}

interface Scan {
  readonly path: readonly string[];
  place: Place;
  /** How many objects are open of those that lead to the array. */
  level: number;
  /** Whether the value that comes next is on the path. */
  isWanted: boolean;
}

function takeMark(scan: Scan, byte: number | undefined): void {
  if (scan.place === "value") beginValue(scan, byte);
  else if (scan.place === "key") beginKey(scan, byte);
  else if (scan.place === "colon") {
    if (byte !== colon) throw new JsonItemsError("not JSON: a colon is missing");
    scan.place = "value";
  } else if (byte === comma) scan.place = "key";
  else if (byte === closeObject) endObject(scan);
  else throw new JsonItemsError("not JSON: a comma or the end of an object is missing");
}

function beginValue(scan: Scan, byte: number | undefined): void {
  const { path, level, isWanted } = scan;
  scan.isWanted = false;
  if (isWanted && level < path.length && byte === openObject) {
    scan.level += 1;
    scan.place = "key";
  } else if (isWanted && level > 0 && level === path.length && byte === openArray) scan.place = "items";
  else scan.place = level === 0 ? "end" : "other value";
}

function beginKey(scan: Scan, byte: number | undefined): void {
  if (byte === closeObject) endObject(scan);
  else if (byte === quote) scan.place = "in key";
  else throw new JsonItemsError("not JSON: a key of an object is missing");
}

function endObject(scan: Scan): void {
  scan.level -= 1;
  scan.place = scan.level === 0 ? "end" : "after value";
}
