// Estimates the memory that an object takes.

const objectBytes = 32;
const slotBytes = 8;
const stringBytes = 24;
/** In shorter strings it makes little difference whether a character takes two bytes. */
const longLength = 32;

/** What is still to be counted; empty between calls. A relist counts 150,000 pods, and needs no list for each. */
const open: unknown[] = [];

/**
 * About the bytes of heap that a value of plain data takes, which can be many times those of its JSON. What it shares with others counts
 * in full.
 */
export function retainedBytes(value: unknown): number {
  let bytes = 0;
  open.push(value);
  while (open.length > 0) {
    const one = open.pop();
    if (typeof one === "string") bytes += bytesOfText(one);
    else if (Array.isArray(one)) {
      bytes += objectBytes + slotBytes * one.length;
      for (const item of one as readonly unknown[]) if (hasBytes(item)) open.push(item);
    } else if (typeof one === "object" && one !== null) {
      bytes += objectBytes;
      for (const key in one) {
        bytes += slotBytes + key.length;
        const field = (one as Readonly<Record<string, unknown>>)[key];
        if (typeof field === "string") bytes += bytesOfText(field);
        else if (hasBytes(field)) open.push(field);
      }
    } else bytes += slotBytes;
  }
  return bytes;
}

function hasBytes(value: unknown): boolean {
  return typeof value === "string" || (typeof value === "object" && value !== null);
}

function bytesOfText(text: string): number {
  const { length } = text;
  return stringBytes + (length > longLength && isWide.test(text) ? 2 * length : length);
}

const isWide = /[^\0-\xff]/;
