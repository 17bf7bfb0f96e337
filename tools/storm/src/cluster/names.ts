// Ids and generated names: functions of the seed, and of what the objects are.
import type { StoredObject } from "@plimsoll/sandbox";
import type { Random } from "../random/random.ts";

const letters = "bcdfghjklmnpqrstvwxz2456789";

export interface Names {
  readonly newId: (resource: string, object: StoredObject) => string;
  readonly nameSuffix: (prefix: string) => string;
  readonly tokenKey: Buffer;
}

/** Each object has numbers of its own: one that is never created changes no id of another. */
export function createNames(random: Random): Names {
  const counts = new Map<string, number>();

  function streamOf(what: string): Random {
    const count = (counts.get(what) ?? 0) + 1;
    counts.set(what, count);
    return random.stream(`${what}/${count}`);
  }

  return {
    newId(resource, { metadata: { namespace = "", name } }) {
      const stream = streamOf(`id/${resource}/${namespace}/${name}`);
      const hex = (digits: number) => {
        const number = Math.floor(stream.next() * 16 ** digits);
        return number.toString(16).padStart(digits, "0");
      };
      return `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(6)}${hex(6)}`;
    },
    nameSuffix(prefix) {
      const stream = streamOf(`suffix/${prefix}`);
      return Array.from({ length: 5 }, () => letters.charAt(stream.between(0, letters.length - 1))).join("");
    },
    tokenKey: Buffer.from("a key of the simulation"),
  };
}
