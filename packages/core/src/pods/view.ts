import type { Container, Pod } from "../spec/pod.ts";
import { textOf } from "../spec/text.ts";

const none: readonly Container[] = [];

export function containersOf(list: readonly Container[] | undefined): readonly Container[] {
  return Array.isArray(list) ? (list as readonly Container[]) : none;
}

export function podName(pod: Pod): string {
  return textOf(pod.metadata?.name);
}
