import type { Container, Pod } from "../spec/pod.ts";

const none: readonly Container[] = [];

export function containersOf(list: readonly Container[] | undefined): readonly Container[] {
  return Array.isArray(list) ? (list as readonly Container[]) : none;
}

export function podName(pod: Pod): string {
  const name: unknown = pod.metadata?.name;
  return typeof name === "string" ? name : "";
}
