// Random numbers by seed: a stream of its own for each purpose and ordinal, so that candidates share their luck.
import { uniformFloat64 } from "pure-rand/distribution/uniformFloat64";
import { xoroshiro128plusFromState } from "pure-rand/generator/xoroshiro128plus";

/** One sequence of numbers. */
export interface RandomStream {
  /** 0 ≤ x < 1. */
  uniform(): number;
}

/** The stream of a purpose, such as "shop/ready", and of one of the things that it is for, such as a pod's ordinal. */
export function randomStream(seed: number, purpose: string, ordinal = 0): RandomStream {
  let key = mixed(seed >>> 0, Math.floor(seed / 2 ** 32) >>> 0);
  for (let at = 0; at < purpose.length; at++) key = mixed(key, purpose.charCodeAt(at));
  key = mixed(key, ordinal >>> 0);
  const words: number[] = [];
  for (let word = 0; word < 4; word++) words.push((key = mixed(key, 0x9e3779b9 + word)) | 0);
  const generator = xoroshiro128plusFromState(words);
  return { uniform: () => uniformFloat64(generator) };
}

/** Of murmur3: every bit of both numbers changes about half of the bits of the result. */
function mixed(value: number, by: number): number {
  let bits = Math.imul(value ^ Math.imul(by + 0x7f4a7c15, 0xcc9e2d51), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
