// The addresses of pods, all of them of this machine.

/** --live-pod-cidrs */
export const podNetwork = "127.64.0.0/15";

/** Of the victim's pods, which are few. */
export const victimAddress = (n: number) => `127.64.0.${n + 1}`;

/** Of the tenant's pods with a page; more than 250 of one kind share addresses. */
export const tenantAddress = (kind: number, n: number) => `127.65.${kind + 1}.${(n % 250) + 1}`;

/** Within the network, and not to be reached. */
export const forbiddenAddress = (n: number) => `127.65.0.${(n % 250) + 1}`;

/** Whose address it is: the kind of a page of the tenant. */
export function placeOf(address: string): "victim" | "nobody" | number {
  if (address.startsWith("127.64.0.")) return "victim";
  const kind = Number(/^127\.65\.(\d+)\./.exec(address)?.[1] ?? 0);
  return kind === 0 ? "nobody" : kind - 1;
}
